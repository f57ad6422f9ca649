// Puts the page together, and searches: first in what the list shows, then in the contents.

const hidden = new Set();
const search = document.getElementById("search");
let round = 0;

async function filter() {
  const mine = ++round;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = events.filter((one) => !hidden.has(one.decision));
  const shown = new Set(wanted.filter((one) => words.every((word) => one.text.includes(word))));
  show(wanted, shown, words.length > 0 && typeof DecompressionStream === "function");
  if (!words.length) return;
  const inside = words.map((word) => JSON.stringify(word).slice(1, -1));
  for (let number = 0; number < pieces.length; number++) {
    const lines = (await piece(number).catch(() => [])).map((line) => line.toLowerCase());
    if (mine !== round) return;
    for (const one of wanted.slice(bound(wanted, number), bound(wanted, number + 1))) {
      const line = lines[one.number % index.piece] ?? "";
      if (inside.every((word) => line.includes(word))) shown.add(one);
    }
  }
  show(wanted, shown, false);
}

// Where in a list of events those of a piece begin.
function bound(wanted, number) {
  let low = 0, high = wanted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wanted[middle].number < number * index.piece) low = middle + 1; else high = middle;
  }
  return low;
}

function show(wanted, shown, searching) {
  list.found = wanted.filter((one) => shown.has(one));
  const count = `${list.found.length.toLocaleString("en")} of ${events.length.toLocaleString("en")}`;
  document.getElementById("count").textContent = searching ? `${count}, searching inputs and outputs…` : count;
  list.box.scrollTop = Math.min(list.box.scrollTop, list.found.length * HEIGHT);
  paint();
}

function choice(decision, count) {
  const box = make("input", { type: "checkbox", checked: "" });
  box.addEventListener("change", () => {
    hidden[box.checked ? "delete" : "add"](decision);
    filter();
  });
  return make("label", { class: decision }, box, ` ${SIGNS[decision] ?? ""} ${decision} ${count.toLocaleString("en")}`);
}

function summary() {
  const counts = new Map();
  for (const one of events) counts.set(one.decision, (counts.get(one.decision) ?? 0) + 1);
  const made = new Date(index.made * 1000).toISOString().slice(0, 19).replace("T", " ");
  document.getElementById("about").textContent = visible(`${index.query || "Every event"} · made ${made} UTC · times are UTC`);
  document.getElementById("decisions").textContent =
    `${counted(events.length, "event")} in ${counted(index.sessions.length, "session")}, ${milliseconds(index.hook_ms)} in hooks`;
  if (index.head) document.getElementById("head").textContent =
    `Head of the log: ${index.head} · hooktui doctor --verify --head … tells later whether the log was changed`;
  const known = DECISIONS.filter((decision) => counts.has(decision));
  document.getElementById("choices").replaceChildren(...known.map((decision) => choice(decision, counts.get(decision))));
  const lines = index.sessions.slice(0, 50).map(([name, host, project, count]) => (
    make("tr", {}, make("td", {}, name || "–"), make("td", {}, host), make("td", {}, project), number(count))));
  const more = index.sessions.length > 50 ? [make("p", {}, `and ${index.sessions.length - 50} more`)] : [];
  const place = document.getElementById("sessions");
  place.append(make("table", {}, make("tbody", {}, ...lines)), ...more);
  place.open = index.sessions.length <= 5;
}

summary();
if (events.length) {
  document.getElementById("chart").append(chart());
  document.getElementById("hooks").append(hookTable());
}
show(events, new Set(events), false);
search.addEventListener("input", filter);
document.getElementById("filter").addEventListener("submit", (event) => event.preventDefault());
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) {
    event.preventDefault();
    search.focus();
  }
});
document.documentElement.dataset.ready = performance.now().toFixed(0);
