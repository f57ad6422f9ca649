// The timeline: only the rows in view are elements, so that ten thousand scroll like ten; all of them while printing.

const HEIGHT = 26;
const SPARE = 12;
const list = { found: events, chosen: -1, box: document.getElementById("list"), room: document.getElementById("room") };

// A round length that all but the longest events fit into.
list.scale = (() => {
  const sorted = events.map((one) => one.duration).sort((a, b) => a - b);
  const needed = sorted[Math.floor(sorted.length * 0.95)] ?? 1;
  return 10 ** Math.ceil(Math.log10(Math.max(needed, 1)));
})();

function row(one, place) {
  const what = one.reason ?? one.subject;
  const element = make("div", { class: "row", role: "option", id: `e${one.number}`, "aria-selected": one.number === list.chosen,
    "aria-posinset": place + 1, "aria-setsize": list.found.length },
    make("time", { datetime: one.at, title: one.at }, one.at.slice(11, 23)), make("span", {}, one.event),
    make("span", {}, one.tool), make("span", { class: one.decision }, `${SIGNS[one.decision] ?? ""} ${one.decision}`),
    make("span", { class: "what", title: what ?? "" }, (what ?? "").replaceAll("\n", " ⏎ ")),
    make("span", { class: "ms" }, one.runs.length ? milliseconds(one.duration) : "–"), waterfall(one.runs, list.scale));
  element.addEventListener("click", () => choose(place));
  return element;
}

function paint() {
  const from = Math.max(Math.floor(list.box.scrollTop / HEIGHT) - SPARE, 0);
  const to = from + Math.ceil(list.box.clientHeight / HEIGHT) + 2 * SPARE;
  const rows = list.found.slice(from, to).map((one, place) => row(one, from + place));
  rows.forEach((element, place) => { element.style.top = `${(from + place) * HEIGHT}px`; });
  list.room.style.height = `${list.found.length * HEIGHT}px`;
  list.room.replaceChildren(...rows);
}

function paintAll() {
  list.room.style.height = "auto";
  list.room.replaceChildren(...list.found.map(row));
}

function choose(place) {
  const one = list.found[Math.min(Math.max(place, 0), list.found.length - 1)];
  if (!one) return;
  list.chosen = one.number;
  const top = list.found.indexOf(one) * HEIGHT;
  const { scrollTop, clientHeight } = list.box;
  if (top < scrollTop || top + HEIGHT > scrollTop + clientHeight) list.box.scrollTop = Math.max(top - clientHeight / 2, 0);
  list.box.setAttribute("aria-activedescendant", `e${one.number}`);
  paint();
  showDetail(one);
}

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };

list.box.addEventListener("keydown", (event) => {
  if (!(event.key in STEPS) || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  choose(list.found.findIndex((one) => one.number === list.chosen) + STEPS[event.key]);
});
list.box.addEventListener("scroll", () => requestAnimationFrame(paint));
addEventListener("resize", paint);
addEventListener("beforeprint", paintAll);
addEventListener("afterprint", paint);
