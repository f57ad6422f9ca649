// The details of one event: its decision and reason, and each hook with its input and output.

const TEXT_FIELDS = ["reason", "additional_context", "system_messages", "system_message", "log", "warnings", "problems"];

async function showDetail(event) {
  const place = document.getElementById("detail");
  try {
    const report = await loadReport(event.number);
    if (list.selected === event.number) place.replaceChildren(...detail(report));
  } catch (error) {
    place.replaceChildren(make("p", {}, `This browser cannot decompress the event: ${error.message}`));
  }
}

function detail(report) {
  const effect = report.effect === "rewrite" ? "rewrote" : report.effect;
  const head = make("h3", {}, `${report.event} ${report.tool_name ?? ""} `,
    make("span", { class: effect }, `${SIGNS[effect] ?? ""} ${effect}`));
  const facts = { ID: report.id, Time: report.at, Duration: milliseconds(report.duration_ms), Session: report.session_id,
    Agent: report.host, Project: report.project, Machine: report.machine, ...textFields(report) };
  return [head, definitions(facts), ...effects(report), ...report.hooks.flatMap(hook),
    make("h3", {}, "Input"), make("pre", {}, pretty(report.payload))];
}

function hook(run) {
  const state = run.state === "skipped" ? `skipped (${run.skip})`
    : `${run.state}${run.exit_code === null ? "" : `, exit ${run.exit_code}`}, ${milliseconds(run.duration_ms)}`;
  const facts = { Why: run.why, Decision: run.via ? `${run.decision} (${run.via})` : "", File: `${run.file}:${run.line}`, ...textFields(run) };
  const streams = ["stdout", "stderr"].filter((name) => run[name]).flatMap((name) => (
    [make("div", {}, name), make("pre", {}, run[name])]));
  return [make("h3", {}, `${run.label} `, make("span", { class: run.state }, state)), definitions(facts), ...effects(run), ...streams];
}

function textFields(report) {
  return Object.fromEntries(TEXT_FIELDS.map((name) => [label(name), [report[name] ?? []].flat().join("\n")]));
}

function effects(report) {
  return report.modified_input ? [make("div", {}, "Modified input"), make("pre", {}, pretty(report.modified_input))] : [];
}

function label(name) {
  return name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");
}

function definitions(facts) {
  const present = Object.entries(facts).filter(([, value]) => value);
  return make("dl", {}, ...present.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function pretty(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
