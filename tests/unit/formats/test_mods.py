"""Mods of Claude Code are read from their text: which events they hear, what they can answer, and why they do not load."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hooktui import hosts
from hooktui.core.model import Hook, Mod
from hooktui.formats import Parsed, mods
from hooktui.formats.source_cache import Sources
from tests.mod_cases import LOADED, REFUSED, ModCase
from tests.mod_world import PASSES, registering, write_mod

_SKILLS = ".claude/skills"
_NEXT = "const r = await next(e)"


def found(project: Path) -> Parsed:
    return mods.discover(hosts.spec("claude"), str(project), Sources())


def mod_of(hook: Hook) -> Mod:
    assert isinstance(hook.source, Mod)
    return hook.source


@pytest.fixture
def project(tmp_path: Path, own_home: Path) -> Path:
    """An empty project; the home is `~`."""
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture
def skill(project: Path) -> Path:
    """A folder in the user's skills."""
    return Path(os.path.expanduser(f"~/{_SKILLS}/folder"))


@pytest.mark.parametrize("case", LOADED, ids=str)
def test_registrations_are_those_that_claude_code_finds(project: Path, skill: Path, case: ModCase) -> None:
    write_mod(skill, case.module, files=case.files)
    parsed = found(project)
    assert [hook.event_as_written for hook in parsed.hooks] == list(case.events)
    assert not parsed.diagnostics


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_module_that_claude_code_refuses_is_reported_with_its_reason(project: Path, skill: Path, case: ModCase) -> None:
    write_mod(skill, case.module, files=case.files)
    parsed = found(project)
    [problem] = parsed.diagnostics
    assert (problem.severity, problem.code, parsed.hooks) == ("error", "mod-not-loaded", ())
    assert case.refused in problem.message


def test_mod_is_named_after_its_plugin_and_placed_where_it_registers(project: Path, skill: Path) -> None:
    write_mod(skill, "// one\n" + registering(f"on('classic.PreToolUse', {{ tool_name: 'Bash' }}, {PASSES})"), name="guard")
    [hook] = found(project).hooks
    assert (hook.label, hook.name, hook.owner, hook.type) == ("guard", "guard@skills-dir", "mod guard", "mod")
    assert (hook.event, hook.event_as_written, hook.tool) == ("pre-tool-call", "classic.PreToolUse", "Bash")
    assert (hook.scope, hook.file, hook.line) == ("user", str(skill / "hooks/m.js"), 3)


@pytest.mark.parametrize(
    ("event", "canonical"),
    [
        ("tool.call", "pre-tool-call"),
        ("tool.check", "pre-tool-call"),
        ("tool.run", "pre-tool-call"),
        ("prompt.submit", "pre-agent-turn"),
        ("session.start", "pre-session"),
        ("session.end", "post-session"),
        ("classic.Stop", "pre-agent-turn-stop"),
        ("classic.ConfigChange", "ConfigChange"),
        ("turn.step", "turn.step"),
        ("*", "*"),
    ],
)
def test_events_have_canonical_names_where_there_are_any(project: Path, skill: Path, event: str, canonical: str) -> None:
    write_mod(skill, registering(f"on('{event}', {PASSES})"))
    assert found(project).hooks[0].event == canonical


@pytest.mark.parametrize(
    ("matcher", "tool", "is_computed"),
    [
        ("{ tool: 'Bash' }", "Bash", False),
        ("'Bash'", "Bash", False),
        ("{ tool: ['Bash', `Edit`] }", "Bash|Edit", False),
        ("{ tool: /Ba.*/ }", "Ba.*", False),
        ("{ tool: 'Bash', command: 'ls' }", "Bash", False),
        ("{ command: 'ls' }", None, False),
        ("{ tool: options.tool }", None, True),
        ("{ tool: t => t === 'Bash' }", None, True),
        ("options.matcher", None, True),
    ],
)
def test_matcher_is_literal_or_computed(project: Path, skill: Path, matcher: str, tool: str | None, is_computed: bool) -> None:
    write_mod(skill, registering(f"on('tool.call', {matcher}, {PASSES})"))
    [hook] = found(project).hooks
    assert (hook.tool, mod_of(hook).is_matcher_computed) == (tool, is_computed)


@pytest.mark.parametrize(
    ("event", "handler", "gates", "allows"),
    [
        ("tool.call", "($, e, next) => next(e)", False, False),
        ("tool.call", "async ($, e, next) => await next(e)", False, False),
        ("tool.call", f"async ($, e, next) => {{ {_NEXT}; $.ui.log(r); return r }}", False, False),
        ("tool.call", "($, e) => { $.ui.log(e) }", False, False),
        ("tool.call", f"async ($, e, next) => {{ {_NEXT}; r.result = 'x'; return r }}", True, True),
        ("tool.call", f"async ($, e, next) => {{ {_NEXT}; change(r); return r }}", True, True),
        ("tool.call", "($, e, next) => { e.command = 'ls'; return next(e) }", True, False),
        ("tool.call", "($, e, next) => next({ ...e, command: 'ls' })", True, False),
        ("tool.call", "($, e, next) => e.bad ? { deny: 'no' } : next(e)", True, False),
        ("tool.call", "() => ({ result: 'done' })", True, True),
        ("tool.check", "async () => ({ decision: 'allow' })", True, True),
        ("tool.check", "($, e, next) => e.bad ? { decision: 'deny', reason: 'no' } : next(e)", True, False),
        ("tool.check", "($, e, next) => ({ decision: choose(e) })", True, True),
        ("classic.PreToolUse", "() => ({ allow: true })", True, True),
        ("classic.PreToolUse", "() => ({ deny: 'no' })", True, False),
        ("classic.Stop", "() => ({ block: 'go on' })", True, False),
        ("prompt.submit", "() => ({ text: 'other' })", True, False),
        ("tool.*", "() => ({ decision: 'allow' })", True, True),
        ("tool.call", "options.handler", True, True),
        ("tool.check", f"async ($, e, next) => {{ {_NEXT}; const q = r; q.decision = 'allow'; return r }}", True, True),
        ("tool.check", f"async ($, e, next) => {{ {_NEXT}; (() => {{ r.decision = 'allow' }})(); return r }}", True, True),
        ("tool.check", f"async ($, e, next) => {{ {_NEXT}; for (const r of [{{ decision: 'allow' }}]) return r }}", True, True),
        ("classic.PreToolUse", f"async ($, e, next) => {{ {_NEXT}; delete r.deny; return r }}", True, True),
        ("tool.check", "($, e, next) => { next = () => ({ decision: 'allow' }); return next(e) }", True, True),
        ("tool.check", "($, e, n) => { const next = () => ({ decision: 'allow' }); return next(e) }", True, True),
        ("tool.check", "() => { const deny = 'allow'; return { decision: deny } }", True, True),
        ("tool.check", "() => ({ 'd\\u0065cision': 'allow' })", True, True),
        ("tool.check", "() => ({ __proto__: { decision: 'allow' } })", True, True),
        ("tool.check", f"{PASSES}).catch(() => ({{ decision: 'allow' }})", True, True),
        ("tool.check", f"{PASSES}).catch(() => ({{ decision: 'deny' }})", True, False),
        (
            "tool.call",
            "async ($, e, next) => { const { tool } = e; if (tool.includes('x')) $.ui.log(e); return next(e) }",
            False,
            False,
        ),
    ],
)
def test_text_of_a_handler_shows_what_it_can_answer(
    project: Path, skill: Path, event: str, handler: str, gates: bool, allows: bool
) -> None:
    write_mod(skill, registering(f"on('{event}', {handler})"))
    mod = mod_of(found(project).hooks[0])
    assert (mod.gates, mod.allows) == (gates, allows)


def test_module_that_is_not_utf_8_is_read_all_the_same(project: Path, skill: Path) -> None:
    module = write_mod(skill) / "hooks/m.js"
    module.write_bytes(b"// \xff\n" + module.read_bytes())
    assert [hook.line for hook in found(project).hooks] == [3]


@pytest.mark.parametrize(("value", "is_on"), [("false", False), ("true", True), ('"false"', True), ("0", True), ("null", True)])
def test_only_false_switches_the_mod_of_a_skill_off(project: Path, skill: Path, value: str, is_on: bool) -> None:
    write_mod(skill)
    (skill.parents[1] / "settings.json").write_text(f'{{"enabledPlugins": {{"sk@skills-dir": {value}}}}}')
    assert [hook.enabled for hook in found(project).hooks] == [is_on]


def test_catch_is_noticed(project: Path, skill: Path) -> None:
    write_mod(skill, registering(f"on('tool.call', {PASSES}).catch({PASSES})", f"on('tool.check', {PASSES})"))
    assert [mod_of(hook).catches for hook in found(project).hooks] == [True, False]


def test_types_are_read_in_typescript(project: Path, skill: Path) -> None:
    module = (
        "import type { On } from 'claude-code'\nexport function register(on: On): void { on('tool.call', ($: any) => 1) }\n"
    )
    write_mod(skill, files={"m.ts": module})
    (skill / "hooks/hooks.json").write_text('{"modules": ["./m.ts"]}')
    assert [hook.event_as_written for hook in found(project).hooks] == ["tool.call"]


def test_module_is_never_run(project: Path, skill: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    write_mod(skill, f"require('fs').writeFileSync('{trace}', 'x')\n" + registering(f"on('tool.call', {PASSES})"))
    assert found(project).hooks
    assert not trace.exists()


@pytest.mark.parametrize(
    ("hooks_json", "message"),
    [
        ('{"modules": ["./m.js", "./n.js"]}', "a second entry is refused"),
        ('{"modules": "./m.js"}', "must be a list"),
        ('{"modules": [1]}', "must be a list"),
        ('{"modules": ["./gone.js"]}', "No such file"),
        ('{"modules": ["./m.txt"]}', "not named like code"),
    ],
)
def test_wrong_list_of_modules_is_reported(project: Path, skill: Path, hooks_json: str, message: str) -> None:
    write_mod(skill, files={"m.txt": ""})
    (skill / "hooks/hooks.json").write_text(hooks_json)
    [problem] = found(project).diagnostics
    assert (problem.code, message in problem.message) == ("mod-not-loaded", True)


def test_debug_log_that_tells_of_a_refusal_is_a_hint(project: Path, skill: Path) -> None:
    write_mod(skill, "export const x = 1")
    log = Path(os.path.expanduser("~/.claude/debug/latest"))
    log.parent.mkdir(parents=True)
    log.write_text("2026-11-12T16:32:04.542Z [ERROR] hooks module sk@skills-dir failed to load: sk: no register\n")
    os.utime(log, (1_794_484_800, 1_794_484_800))
    [problem] = found(project).diagnostics
    assert problem.hint == "Claude Code's debug log of 2026-11-12 says: sk: no register"


def test_large_module_is_reported(project: Path, skill: Path) -> None:
    write_mod(skill, registering(f"on('tool.call', {PASSES})") + "//" + "x" * 10_000_000)
    [problem] = found(project).diagnostics
    assert "too large" in problem.message


def test_link_out_of_the_plugin_is_reported(project: Path, skill: Path, tmp_path: Path) -> None:
    (tmp_path / "lib.js").write_text("export function helper(on) {}")
    write_mod(skill, "import { helper } from './lib.js'\n" + registering("helper(on)"))
    (skill / "hooks/lib.js").symlink_to(tmp_path / "lib.js")
    [problem] = found(project).diagnostics
    assert "outside the plugin's folder" in problem.message


def test_module_outside_the_plugin_is_reported(project: Path, skill: Path, tmp_path: Path) -> None:
    write_mod(skill)
    outside = (skill / "hooks/m.js").rename(tmp_path / "m.js")
    (skill / "hooks/m.js").symlink_to(outside)
    [problem] = found(project).diagnostics
    assert problem.message == "Claude Code does not load the mod sk: ./m.js is outside the plugin's folder"


def test_change_of_an_imported_file_is_seen(project: Path, skill: Path) -> None:
    module = "import { helper } from './lib.js'\n" + registering("helper(on)")
    write_mod(skill, module, files={"lib.js": "export function helper(on) {}\n"})
    sources = Sources()
    assert not mods.discover(hosts.spec("claude"), str(project), sources).hooks
    (skill / "hooks/lib.js").write_text(f"export function helper(on) {{ on('tool.call', {PASSES}) }}\n")
    assert mods.discover(hosts.spec("claude"), str(project), Sources(sources)).hooks


@pytest.mark.parametrize(
    ("module", "files"),
    [
        (registering("on('tool.call', ($, e, next) => { const a = b; const b = a; return a })"), {}),
        (registering(f"on('tool.call', ($, e, next) => {'(' * 3000}1{')' * 3000})"), {}),
        (registering(f"on('tool.call', ($, e, next) => {' || '.join(['e.x'] * 5000)})"), {}),
        (
            "import { x } from './a.js'\n" + registering("x(on)"),
            {
                "a.js": "import { x } from './b.js'\nexport { x }\n",
                "b.js": "import { x } from './a.js'\nexport { x }\n",
            },
        ),
        (
            "import { f } from './f0.js'\n" + registering("f(on)"),
            {f"f{n}.js": f"export {{ f }} from './f{n + 1}.js'\n" for n in range(150)}
            | {"f150.js": "export function f() {}\n"},
        ),
    ],
    ids=["names in a circle", "brackets", "alternatives", "imports in a circle", "a chain of imports"],
)
def test_odd_module_is_listed_or_told_and_never_raises(project: Path, skill: Path, module: str, files: dict[str, str]) -> None:
    write_mod(skill, module, files=files)
    parsed = found(project)
    assert parsed.hooks or parsed.diagnostics
