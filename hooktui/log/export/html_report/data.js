// The data: an index of all events, read at once, and their contents in chunks, read on demand.
// It came from agents and hooks, so it only ever becomes the text of elements.

const index = JSON.parse(document.getElementById("index").textContent);
const chunks = [...document.querySelectorAll(".chunk")];
const inflatedChunks = new Map();
const SIGNS = { allow: "✔", ask: "?", deny: "✖", stop: "■", none: "·", rewrote: "✎", context: "+" };
const DECISIONS = ["deny", "stop", "ask", "rewrote", "allow", "context", "none"];

const events = index.rows.map((row, number) => {
  const [at, session, event, tool, decision, duration, reason, subject, runs, machine] = row;
  return {
    number, at, duration, reason, subject, machine: index.names[machine],
    time: Date.parse(at),
    session: index.names[session], event: index.names[event], tool: index.names[tool], decision: index.names[decision],
    runs: runs.map(([name, state, result, started, duration]) => (
      { name: index.names[name], state: index.names[state], decision: index.names[result], started, duration })),
  };
});

for (const event of events) {
  const words = [event.event, event.tool, event.decision, event.session, event.machine, event.reason, event.subject];
  event.text = [...words, ...event.runs.flatMap((run) => [run.name, run.state])].join("\n").toLowerCase();
}

// A chunk as lines of JSON, one per event.
function chunk(number) {
  if (!inflatedChunks.has(number)) inflatedChunks.set(number, inflate(chunks[number].textContent));
  return inflatedChunks.get(number);
}

async function inflate(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).text()).split("\n");
}

// The report of an event, as `hooktui show --json` prints it.
async function loadReport(number) {
  return JSON.parse((await chunk(Math.floor(number / index.chunk)))[number % index.chunk]);
}

// Create an element: make("p", { class: "x" }, "text", child, …); strings become text, never markup.
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

// Replace control and bidirectional formatting characters.
function visible(value) {
  return String(value).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

function count(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

// A duration; nobody tells that of some runs of transcripts.
function milliseconds(value) {
  if (!value) return "–";
  return value < 10 ? `${value.toFixed(1)} ms` : value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
