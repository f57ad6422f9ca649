"""`hooktui doctor`: check the installation."""

from __future__ import annotations

import dataclasses

import click

from hooktui.cli import installation_checks
from hooktui.cli.console import db_option, json_option, print_json, project_argument
from hooktui.core.text_sanitizer import one_line
from hooktui.log.read.connection import default_path
from hooktui.log.read.verify import HeadError

_SIGNS = {"ok": ("✔", "green"), "note": ("·", None), "problem": ("✖", "red")}


@click.command("doctor")
@project_argument
@json_option
@click.option("--verify", is_flag=True, help="Verify the log's hash chain instead.")
@click.option("--head", metavar="HEAD", default="", help="With --verify: compare with a chain head that you kept.")
@db_option
def doctor_command(project: str, as_json: bool, verify: bool, head: str, db: str | None) -> None:
    """Check the installation and suggest fixes.

    Exits with code 1 if there is a problem.
    """
    findings = _verified(db, head) if verify or head else installation_checks.examine(project)
    problems = sum(finding.state == "problem" for finding in findings)
    if as_json:
        print_json({"problems": problems, "checks": [dataclasses.asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            _print(finding)
    if problems:
        raise click.exceptions.Exit(1)


def _verified(db: str | None, head: str) -> list[installation_checks.Finding]:
    try:
        return installation_checks.verified(db or default_path(), head)
    except HeadError as error:
        raise click.UsageError(str(error)) from error


def _print(finding: installation_checks.Finding) -> None:
    sign, colour = _SIGNS[finding.state]
    click.echo(f"{click.style(f'{sign} {finding.state:<7}', fg=colour)} {finding.about:<13} {one_line(finding.detail)}")
    if finding.remedy:
        click.echo(f"{'':<23}  → {one_line(finding.remedy)}")
