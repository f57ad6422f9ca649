// Build the page, and search: first in the index, then in the contents.

const hidden = new Set();
const search = document.getElementById("search");
let generation = 0;

async function filter() {
  const own = ++generation;
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const candidates = events.filter((event) => !hidden.has(event.decision));
  const matches = new Set(candidates.filter((event) => words.every((word) => event.text.includes(word))));
  show(candidates, matches, words.length > 0 && typeof DecompressionStream === "function");
  if (!words.length) return;
  const escaped = words.map((word) => JSON.stringify(word).slice(1, -1));
  for (let number = 0; number < chunks.length; number++) {
    const lines = (await chunk(number).catch(() => [])).map((line) => line.toLowerCase());
    if (own !== generation) return;
    for (const event of candidates.slice(bound(candidates, number), bound(candidates, number + 1))) {
      const line = lines[event.number % index.chunk] ?? "";
      if (escaped.every((word) => line.includes(word))) matches.add(event);
    }
  }
  show(candidates, matches, false);
}

// The position in a list of events at which a chunk begins.
function bound(candidates, number) {
  let low = 0, high = candidates.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (candidates[middle].number < number * index.chunk) low = middle + 1; else high = middle;
  }
  return low;
}

function show(candidates, matches, searching) {
  list.results = candidates.filter((event) => matches.has(event));
  const total = `${list.results.length.toLocaleString("en")} of ${events.length.toLocaleString("en")}`;
  document.getElementById("count").textContent = searching ? `${total}, searching inputs and outputs…` : total;
  list.box.scrollTop = Math.min(list.box.scrollTop, list.results.length * ROW_HEIGHT);
  paint();
}

function decisionFilter(decision, count) {
  const box = make("input", { type: "checkbox", checked: "" });
  box.addEventListener("change", () => {
    hidden[box.checked ? "delete" : "add"](decision);
    filter();
  });
  return make("label", { class: decision }, box, ` ${SIGNS[decision] ?? ""} ${decision} ${count.toLocaleString("en")}`);
}

function summary() {
  const counts = new Map();
  for (const event of events) counts.set(event.decision, (counts.get(event.decision) ?? 0) + 1);
  const made = new Date(index.made * 1000).toISOString().slice(0, 19).replace("T", " ");
  document.getElementById("about").textContent = visible(`${index.query || "All events"} · created ${made} UTC · times in UTC`);
  document.getElementById("decisions").textContent =
    `${count(events.length, "event")} in ${count(index.sessions.length, "session")}, ${milliseconds(index.hook_ms)} in hooks`;
  if (index.head) document.getElementById("head").textContent =
    `Log head: ${index.head} · hooktui doctor --verify --head … detects later changes to the log`;
  const known = DECISIONS.filter((decision) => counts.has(decision));
  document.getElementById("choices").replaceChildren(...known.map((decision) => decisionFilter(decision, counts.get(decision))));
  const lines = index.sessions.slice(0, 50).map(([machine, name, host, project, count]) => (
    make("tr", {}, ...(machine ? [make("td", {}, machine)] : []), make("td", {}, name || "–"), make("td", {}, host), make("td", {}, project), number(count))));
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
