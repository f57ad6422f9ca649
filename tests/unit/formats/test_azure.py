"""Azure SRE Agent's YAML (formats.md §4; seed 004)."""

from __future__ import annotations

import pytest

from hooktui.core.model import AzureEntry, Hook
from hooktui.formats import Parsed
from hooktui.formats.azure import azure_files
from tests.unit.formats.agenthooks_world import skip_of
from tests.unit.formats.azure_text import agent, command
from tests.unit.formats.json_world import blamed, codes, only, problem, read

FILE = "/p/agents/a.yaml"
SEED_004 = """\
api_version: azuresre.ai/v2
kind: ExtendedAgent
metadata:
  name: my_hooked_agent
spec:
  instructions: |
    You are a helpful assistant.
  handoffDescription: ""
  enableVanillaMode: true
  hooks:
    Stop:
      - type: prompt
        prompt: |
          Check if the response ends with "Task complete."
          $ARGUMENTS
        timeout: 30
    PostToolUse:
      - type: command
        matcher: "Bash|ExecuteShellCommand"
        timeout: 30
        failMode: block
        script: |
          #!/usr/bin/env python3
          print('{"decision": "allow"}')
"""


def plain(marked: str) -> str:
    return marked.replace("«", "").replace("»", "")


def parse(text: str) -> Parsed:
    return read(azure_files, text, FILE)


def max_rejections(hook: Hook) -> int | None:
    assert isinstance(hook.source, AzureEntry)
    return hook.source.max_rejections


def hook_of(text: str) -> Hook:
    return only(parse(plain(text)))


def test_the_sample_of_seed_004_is_read_completely() -> None:
    parsed = parse(SEED_004)
    stop, post = parsed.hooks
    assert not parsed.diagnostics
    assert (stop.id, stop.event, stop.type) == ("azure:agent:my_hooked_agent:Stop:1", "pre-agent-turn-stop", "prompt")
    assert (stop.prompt or "").endswith("$ARGUMENTS\n")
    assert (stop.model, max_rejections(stop), stop.agent) == ("ReasoningFast", 3, "my_hooked_agent")
    assert (post.name, post.event, post.tool) == ("my_hooked_agent:PostToolUse:1", "post-tool-call", "Bash|ExecuteShellCommand")
    assert (post.timeout_ms, post.fail_mode, post.scope, post.line) == (30_000, "block", "agent", 18)
    assert (post.inline_script or "").startswith("#!/usr/bin/env python3\n")
    assert (post.argv, post.command) == ((), post.inline_script)
    assert SEED_004[SEED_004.index("type: command") :].startswith(post.text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, description: d, hook: {prompt: p}}\n", "g"),
        ("kind: HookV2\nmetadata: {name: g}\nspec: {eventType: Stop, description: d, hook: {prompt: p}}\n", "g"),
        ("metadata: {name: g}\nspec: {event_type: Stop, description: d, hook: {prompt: p}}\n", "g"),
        ("type: GlobalHook\nname: g\nproperties: {eventType: Stop, description: d, hook: {prompt: p}}\n", "g"),
        ("type: GlobalHook\nmetadata: {name: g}\nproperties: {eventType: Stop, description: d, hook: {prompt: p}}\n", "g"),
    ],
)
def test_every_form_of_a_global_hook_is_read(text: str, name: str) -> None:
    hook = hook_of(text)
    assert (hook.id, hook.name, hook.scope, hook.description) == (f"azure:project:{name}", name, "project", "d")
    assert (hook.event, hook.event_as_written, hook.type, hook.enabled) == ("pre-agent-turn-stop", "Stop", "prompt", True)
    assert hook.text in text


@pytest.mark.parametrize(
    "text",
    [
        "kind: Deployment\nspec: {eventType: Stop, hook: {prompt: p}}\n",
        "api_version: v1\nspec: {eventType: Stop, hook: {prompt: p}}\n",
        "spec: {eventType: Stop}\n",
        "- kind: ExtendedAgent\n",
        "just text about ExtendedAgent",
        "",
    ],
)
def test_other_documents_are_ignored(text: str) -> None:
    parsed = parse(text)
    assert (parsed.hooks, parsed.diagnostics, parsed.files) == ((), (), ())


def test_every_document_of_a_file_counts() -> None:
    text = (
        "kind: Deployment\n---\n"
        + agent("prompt: p")
        + "---\nkind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, hook: {prompt: q}}\n"
    )
    assert [hook.entry_path[0] for hook in parse(text).hooks] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        agent("prompt: p\n  enabled: false"),
        "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, activationMode: onDemand, hook: {prompt: p}}\n",
        "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, activation_mode: on-demand, hook: {prompt: p}}\n",
        "kind: GlobalHook\nmetadata: {name: g}\nspec: {eventType: Stop, enabled: false, hook: {prompt: p}}\n",
    ],
)
def test_disabled_hooks_are_listed(text: str) -> None:
    assert hook_of(text).enabled is False


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("fail_mode: Block", "fail_mode", "block"),
        ("FailMode: block", "fail_mode", "block"),
        ("failMode: Allow", "fail_mode", "allow"),
        ("Timeout: 7", "timeout_ms", 7_000),
    ],
)
def test_drifting_spellings_are_read(key: str, field: str, value: object) -> None:
    parsed = parse(command(key))
    assert getattr(only(parsed), field) == value
    assert not parsed.diagnostics


def test_the_type_is_prompt_by_default_and_needs_a_prompt() -> None:
    assert hook_of(agent("prompt: p")).type == "prompt"
    found = blamed(azure_files, agent("«t»imeout: 3\n  command: x"), "missing-field", FILE)
    assert (found.severity, found.hint) == ("error", "set type: command")
    assert skip_of(hook_of(agent("timeout: 3"))) == "invalid"


def test_an_unknown_type_is_listed_and_reported() -> None:
    marked = agent("type: «http»\n  url: x")
    assert blamed(azure_files, marked, "unsupported-type", FILE).hosts == ("azure",)
    assert skip_of(hook_of(marked)) == "unsupported-type"


@pytest.mark.parametrize("shebang", ["#!/bin/bash", "#!/usr/bin/env python3"])
def test_the_supported_shebangs(shebang: str) -> None:
    assert not parse(agent(f"type: command\n  script: |\n    {shebang}\n    x")).diagnostics


@pytest.mark.parametrize("first", ["#!/bin/sh", "#!/usr/bin/python3", "echo hi"])
def test_an_unsupported_shebang_is_reported_and_still_runs(first: str) -> None:
    parsed = parse(agent(f"type: command\n  script: |\n    {first}\n    x"))
    assert (problem(parsed, "unsupported-shebang").severity, only(parsed).obstacle) == ("warning", None)


@pytest.mark.parametrize(("size", "expected"), [(65_536, []), (65_537, ["too-large"])])
def test_a_script_has_at_most_64_kib(size: int, expected: list[str]) -> None:
    start = "#!/bin/bash\\n"
    script = start + "é" * ((size - 12) // 2) + "x" * (size % 2)
    assert codes(parse(agent(f'type: command\n  script: "{script}"'))) == expected


@pytest.mark.parametrize("event", ["PostToolUse", "PreToolUse"])
def test_a_tool_hook_needs_a_matcher(event: str) -> None:
    marked = agent("«t»ype: command\n  command: x", event)
    assert blamed(azure_files, marked, "missing-field", FILE).severity == "error"
    assert hook_of(marked).tool is None
    assert not parse(command('matcher: "*"', event)).diagnostics


@pytest.mark.parametrize("marked", ['matcher: «""»', "«matcher»:", "matcher: «null»"])
def test_an_empty_matcher_matches_nothing(marked: str) -> None:
    found = blamed(azure_files, command(marked, "PostToolUse"), "matches-nothing", FILE)
    assert found.severity == "warning"


@pytest.mark.parametrize(("marked", "code"), [("matcher: «'['»", "bad-regex"), ("matcher: «[Bash]»", "wrong-type")])
def test_a_matcher_that_is_no_regex_keeps_the_hook_from_running(marked: str, code: str) -> None:
    text = command(marked, "PostToolUse")
    assert blamed(azure_files, text, code, FILE).severity == "error"
    assert skip_of(hook_of(text)) == "bad-matcher"


def test_a_matcher_on_stop_is_ignored() -> None:
    assert blamed(azure_files, command("matcher: «Bash»"), "matcher-ignored", FILE).severity == "warning"


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ('timeout: «"30"»', "wrong-type"),
        ("timeout: «true»", "wrong-type"),
        ("failMode: «deny»", "bad-value"),
        ("failMode: «5»", "wrong-type"),
    ],
)
def test_an_invalid_value_is_reported_and_the_default_applies(marked: str, code: str) -> None:
    assert blamed(azure_files, command(marked), code, FILE).severity == "error"
    hook = hook_of(command(marked))
    assert (hook.timeout_ms, hook.fail_mode, hook.obstacle) == (30_000, "allow", None)


@pytest.mark.parametrize(("marked", "used"), [("«0»", 1), ("«26»", 25), ("«2.5»", 2)])
def test_max_rejections_out_of_range_are_clamped(marked: str, used: int) -> None:
    text = agent(f"prompt: p\n  max_rejections: {marked}")
    assert blamed(azure_files, text, "out-of-range", FILE).severity == "error"
    assert max_rejections(hook_of(text)) == used


def test_max_rejections_count_only_for_prompts_on_stop() -> None:
    marked = command("«maxRejections»: 5")
    assert blamed(azure_files, marked, "ignored-key", FILE).severity == "warning"
    assert max_rejections(hook_of(marked)) is None


def test_hooks_on_an_unknown_event_are_reported_and_do_not_run() -> None:
    marked = command().replace("Stop:", "«PostToolUsed»:")
    found = blamed(azure_files, marked, "unknown-event", FILE)
    assert (found.severity, found.hint, found.hosts) == ("error", "did you mean PostToolUse?", ("azure",))
    hook = hook_of(marked)
    assert (hook.event, skip_of(hook), hook.problems) == ("post-tool-call", "invalid", ("unknown-event",))


def test_a_misspelled_key_is_reported() -> None:
    assert blamed(azure_files, command("«timout»: 5"), "unknown-key", FILE).hint == "did you mean timeout?"


def test_an_agent_without_a_name_has_its_files() -> None:
    text = command().replace("{name: a}", "{}")
    assert codes(parse(text)) == ["missing-field"]
    assert hook_of(text).name == "a:Stop:1"


@pytest.mark.parametrize(
    ("text", "hurt"),
    [
        (command("command: exit 1"), True),
        (command() + "    Stop:\n      - prompt: p\n", True),
        (command() + "  tools: {x: 1, x: 2}\n", False),
    ],
)
def test_a_duplicate_key_affects_only_the_hooks_below_it(text: str, hurt: bool) -> None:
    assert problem(parse(text), "duplicate-key").severity == "error"
    assert skip_of(hook_of(text)) == ("invalid" if hurt else "")


def test_one_bad_entry_does_not_hide_the_others() -> None:
    parsed = parse(command() + "      - 5\n      - prompt: p\n")
    assert [hook.name for hook in parsed.hooks] == ["a:Stop:1", "a:Stop:3"]
    assert codes(parsed) == ["wrong-type"]


def test_documents_before_a_broken_one_still_count() -> None:
    parsed = parse("api_version: azuresre.ai/v2\n" + command() + "---\nx: [\n")
    assert [hook.name for hook in parsed.hooks] == ["a:Stop:1"]


def test_trust_covers_text_that_an_alias_refers_to() -> None:
    base = (
        "kind: ExtendedAgent\nmetadata: {name: a}\nshared: &script '#!/bin/bash'\n"
        "spec:\n  hooks:\n    Stop:\n      - {type: command, script: *script}\n"
    )
    changed = base.replace("#!/bin/bash", "#!/bin/bash\\nrm -rf /")
    assert hook_of(base).text != hook_of(changed).text
