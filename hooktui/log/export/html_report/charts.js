// Charts: decisions over time, hook durations, the runs of one event.

const BARS = 96;

function chart() {
  const width = 960, height = 90;
  const first = events[0].time, span = Math.max(events.at(-1).time - first, 1);
  const bins = Array.from({ length: BARS }, () => ({}));
  for (const event of events) {
    const bin = bins[Math.min(Math.floor(((event.time - first) / span) * BARS), BARS - 1)];
    bin[event.decision] = (bin[event.decision] ?? 0) + 1;
  }
  const most = Math.max(...bins.map((bin) => Object.values(bin).reduce((sum, count) => sum + count, 0)));
  const picture = draw("svg", { viewBox: `0 0 ${width} ${height + 18}`, width, role: "img", "aria-label": "Events over time" });
  bins.forEach((bin, place) => {
    let top = height;
    for (const decision of DECISIONS) {
      const barHeight = ((bin[decision] ?? 0) / most) * height;
      top -= barHeight;
      if (barHeight) picture.append(draw("rect", {
        class: decision, x: place * (width / BARS), y: top, width: width / BARS - 1, height: barHeight,
      }, draw("title", {}, `${bin[decision]} ${decision}`)));
    }
  });
  picture.append(draw("text", { x: 0, y: height + 14 }, events[0].at.slice(0, 19).replace("T", " ")),
    draw("text", { x: width, y: height + 14, "text-anchor": "end" }, `${events.at(-1).at.slice(0, 19).replace("T", " ")} UTC`));
  return picture;
}

function hookTable() {
  const longest = Math.max(...index.hooks.map((hook) => hook[5]), 1);
  const head = ["Hook", "Runs", "Failed", "p50", "p95", "Total", ""];
  const rows = index.hooks.map(([name, runs, failures, p50, p95, total, unwaited]) => make("tr", {},
    make("td", {}, name, make("span", { class: "none" }, unwaited ? " async" : "")), number(runs), number(failures, failures ? "failed" : ""), number(milliseconds(p50)),
    number(milliseconds(p95)), number(milliseconds(total)),
    make("td", {}, draw("svg", { width: 200, height: 10, "aria-hidden": "true" },
      draw("rect", { class: "allow", width: (total / longest) * 200, height: 10 })))));
  return make("table", {}, make("thead", {}, make("tr", {}, ...head.map((word, place) => (
    make("th", place && place < 6 ? { class: "number" } : {}, word))))), make("tbody", {}, ...rows));
}

function number(value, kind = "") {
  return make("td", { class: `number ${kind}` }, typeof value === "number" ? value.toLocaleString("en") : value);
}

// The runs of one event by start time; the whole width stands for `scale` milliseconds.
function waterfall(runs, scale) {
  const picture = draw("svg", { viewBox: "0 0 100 14", preserveAspectRatio: "none", "aria-hidden": "true" });
  const rowHeight = 14 / Math.max(runs.length, 1);
  runs.forEach((run, place) => {
    const start = Math.min((run.started / scale) * 100, 99), length = Math.max((run.duration / scale) * 100, 0.8);
    const kind = run.decision === "none" && run.state !== "ok" ? run.state : run.decision;
    picture.append(draw("rect", { class: kind, x: start, y: place * rowHeight, width: Math.min(length, 100 - start), height: rowHeight * 0.85 },
      draw("title", {}, `${run.name}: ${run.state}, ${milliseconds(run.duration)}`)));
  });
  return picture;
}
