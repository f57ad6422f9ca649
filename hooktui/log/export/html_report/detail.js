// One event whole: what was decided and why, each hook, what it read, said and printed.

const PLAIN = ["reason", "additional_context", "system_messages", "system_message", "log", "warnings", "problems"];

async function showDetail(one) {
  const place = document.getElementById("detail");
  try {
    const report = await content(one.number);
    if (list.chosen === one.number) place.replaceChildren(...detail(report));
  } catch (fault) {
    place.replaceChildren(make("p", {}, `This browser cannot unpack the contents of events: ${fault.message}`));
  }
}

function detail(report) {
  const head = make("h3", {}, `${report.event} ${report.tool_name ?? ""} `,
    make("span", { class: report.decision }, `${SIGNS[report.decision] ?? ""} ${report.decision}`));
  const facts = { id: report.id, when: report.at, took: milliseconds(report.duration_ms), session: report.session_id,
    agent: report.host, project: report.project, ...said(report) };
  return [head, terms(facts), ...effects(report), ...report.hooks.flatMap(hook),
    make("h3", {}, "Input"), make("pre", {}, pretty(report.payload))];
}

function hook(run) {
  const how = run.state === "skipped" ? `skipped, ${run.skip}`
    : `${run.state}${run.exit_code === null ? "" : `, exit ${run.exit_code}`}, ${milliseconds(run.duration_ms)}`;
  const facts = { why: run.why, decision: run.via ? `${run.decision} by ${run.via}` : "", file: `${run.file}:${run.line}`, ...said(run) };
  const streams = ["stdout", "stderr"].filter((name) => run[name]).flatMap((name) => (
    [make("div", {}, name), make("pre", {}, run[name])]));
  return [make("h3", {}, `${run.name} `, make("span", { class: run.state }, how)), terms(facts), ...effects(run), ...streams];
}

function said(report) {
  const given = PLAIN.map((name) => [name.replaceAll("_", " "), [report[name] ?? []].flat().join("\n")]);
  return Object.fromEntries(given);
}

function effects(report) {
  return report.modified_input ? [make("div", {}, "modified input"), make("pre", {}, pretty(report.modified_input))] : [];
}

function terms(facts) {
  const given = Object.entries(facts).filter(([, value]) => value);
  return make("dl", {}, ...given.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
