#!/bin/sh
# Build the package from the files beside this script: build-deb.sh FILE.deb
set -e
here=$(cd "$(dirname "$0")" && pwd)
tree=$(mktemp -d)
trap 'rm -r "$tree"' EXIT
umask 022
mkdir -p "$tree/DEBIAN" "$tree/etc/hooktui"
cp "$here"/debian/* "$tree/DEBIAN"
cp -r "$here/hooks" "$here/managed.toml" "$tree/etc/hooktui"
chmod -R go-w,a+rX "$tree"
dpkg-deb --root-owner-group --build "$tree" "$1"
