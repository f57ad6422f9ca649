// The timeline: only visible rows are elements, so that 10,000 scroll like 10; while printing, all of them are.

const ROW_HEIGHT = 26;
const OVERSCAN = 12;
const list = { results: events, selected: -1, box: document.getElementById("list"), room: document.getElementById("room") };

// A round duration that 95 % of the events do not exceed.
list.scale = (() => {
  const sorted = events.map((event) => event.duration).sort((a, b) => a - b);
  const needed = sorted[Math.floor(sorted.length * 0.95)] ?? 1;
  return 10 ** Math.ceil(Math.log10(Math.max(needed, 1)));
})();

function row(event, place) {
  const summary = [event.machine, event.reason ?? event.subject].filter(Boolean).join(" · ");
  const element = make("div", { class: "row", role: "option", id: `e${event.number}`, "aria-selected": event.number === list.selected,
    "aria-posinset": place + 1, "aria-setsize": list.results.length },
    make("time", { datetime: event.at, title: event.at }, event.at.slice(11, 23)), make("span", {}, event.event),
    make("span", {}, event.tool), make("span", { class: event.decision }, `${SIGNS[event.decision] ?? ""} ${event.decision}`),
    make("span", { class: "summary", title: summary }, summary.replaceAll("\n", " ⏎ ")),
    make("span", { class: "ms" }, event.runs.length ? milliseconds(event.duration) : "–"), waterfall(event.runs, list.scale));
  element.addEventListener("click", () => select(place));
  return element;
}

function paint() {
  const from = Math.max(Math.floor(list.box.scrollTop / ROW_HEIGHT) - OVERSCAN, 0);
  const to = from + Math.ceil(list.box.clientHeight / ROW_HEIGHT) + 2 * OVERSCAN;
  const rows = list.results.slice(from, to).map((event, place) => row(event, from + place));
  rows.forEach((element, place) => { element.style.top = `${(from + place) * ROW_HEIGHT}px`; });
  list.room.style.height = `${list.results.length * ROW_HEIGHT}px`;
  list.room.replaceChildren(...rows);
}

function paintAll() {
  list.room.style.height = "auto";
  list.room.replaceChildren(...list.results.map(row));
}

function select(place) {
  const event = list.results[Math.min(Math.max(place, 0), list.results.length - 1)];
  if (!event) return;
  list.selected = event.number;
  const top = list.results.indexOf(event) * ROW_HEIGHT;
  const { scrollTop, clientHeight } = list.box;
  if (top < scrollTop || top + ROW_HEIGHT > scrollTop + clientHeight) list.box.scrollTop = Math.max(top - clientHeight / 2, 0);
  list.box.setAttribute("aria-activedescendant", `e${event.number}`);
  paint();
  showDetail(event);
}

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };

list.box.addEventListener("keydown", (event) => {
  if (!(event.key in STEPS) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  select(list.results.findIndex((item) => item.number === list.selected) + STEPS[event.key]);
});
list.box.addEventListener("scroll", () => requestAnimationFrame(paint));
addEventListener("resize", paint);
addEventListener("beforeprint", paintAll);
addEventListener("afterprint", paint);
