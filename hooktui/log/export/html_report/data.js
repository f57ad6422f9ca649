// What the page holds: an index of all events, read at once, and their contents in pieces, read when they are needed.
// All of it came from agents and hooks: it becomes text of elements, and never anything else.

const index = JSON.parse(document.getElementById("index").textContent);
const pieces = [...document.querySelectorAll(".piece")];
const opened = new Map();
const SIGNS = { allow: "✔", ask: "?", deny: "✖", stop: "■", none: "·" };
const DECISIONS = ["deny", "stop", "ask", "allow", "none"];

const events = index.rows.map((row, number) => {
  const [at, session, event, tool, decision, duration, reason, subject, runs] = row;
  return {
    number, at, duration, reason, subject,
    moment: Date.parse(at),
    session: index.names[session], event: index.names[event], tool: index.names[tool], decision: index.names[decision],
    runs: runs.map(([name, state, said, started, took]) => (
      { name: index.names[name], state: index.names[state], decision: index.names[said], started, took })),
  };
});

for (const one of events) {
  const words = [one.event, one.tool, one.decision, one.session, one.reason, one.subject];
  one.text = [...words, ...one.runs.flatMap((run) => [run.name, run.state])].join("\n").toLowerCase();
}

// A piece as lines of JSON, one an event.
function piece(number) {
  if (!opened.has(number)) opened.set(number, inflated(pieces[number].textContent));
  return opened.get(number);
}

async function inflated(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return (await new Response(stream).text()).split("\n");
}

// An event whole: a report as `hooktui show --json` prints it.
async function content(number) {
  return JSON.parse((await piece(Math.floor(number / index.piece)))[number % index.piece]);
}

// Elements: make("p", { class: "x" }, "text", child, …); what is given as text stays text.
function make(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function draw(name, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

// Control and direction-changing characters as signs.
function visible(value) {
  return String(value).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
  });
}

function counted(number, noun) {
  return `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
}

function milliseconds(value) {
  return value < 10 ? `${value.toFixed(1)} ms` : value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}
