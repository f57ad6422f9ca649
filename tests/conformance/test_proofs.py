"""docs/proofs.md has a proof for each claim of `check` about a host, and each named test exists."""

from __future__ import annotations

import re
from pathlib import Path

from hooktui import hosts
from tests.conformance import claims
from tests.conformance.claims import Claim

ROOT = Path(__file__).parents[2]
_ROW = re.compile(r"\| `([\w-]+)` \| ([\w, ]+) \| (.+) \|")
_TEST = re.compile(r"`(tests/\S+?)::(\w+)`")
_NOT_RUN = {spec.name for spec in hosts.specs() if "run" not in spec.proof.replace("not run", "")}


def rows() -> list[tuple[set[Claim], str]]:
    found = map(_ROW.fullmatch, (ROOT / "docs/proofs.md").read_text(encoding="utf-8").splitlines())
    return [({Claim(row[1], host) for host in row[2].split(", ")}, row[3]) for row in found if row]


def test_every_claim_has_a_proof_and_every_proof_a_claim(tmp_path: Path, own_home: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    made = claims.made(own_home, project)
    proved = set().union(*(claimed for claimed, _ in rows()))
    assert sorted(made - proved) == [], "without a proof"
    assert sorted(proved - made) == [], "not reported"


def test_hosts_that_run_here_are_proved_by_tests_that_exist() -> None:
    for claimed, proof in rows():
        test = _TEST.fullmatch(proof)
        if test is None:
            assert {claim.host for claim in claimed} <= _NOT_RUN, proof
        else:
            assert f"\ndef {test[2]}(" in (ROOT / test[1]).read_text(encoding="utf-8"), proof
