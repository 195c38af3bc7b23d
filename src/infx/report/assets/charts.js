"use strict";
/*
 * The charts of a run, for the static page and the dashboard: infxCharts.draw(root, data) fills
 * every [data-chart] inside root. It places figures and computes none. Foreign text enters the
 * page through textContent and attributes only.
 */
const infxCharts = (() => {
  const card = () => document.getElementById("card");

  /** Make an element with a class and children (nodes or texts). */
  function make(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children);
    return node;
  }

  /** Draw a plot into node. Its own style element goes: page.css has those rules, the policy forbids it. */
  function mount(node, options) {
    const svg = Plot.plot({
      width: Math.max(280, node.clientWidth),
      style: { background: "none", color: "inherit", font: "inherit", overflow: "visible" },
      ...options,
    });
    svg.querySelectorAll("style").forEach((style) => style.remove());
    svg.setAttribute("role", "group");
    svg.querySelectorAll("g[aria-label]").forEach((group) => group.setAttribute("role", "group"));
    node.replaceChildren(svg);
    return svg;
  }

  /** Call redraw now and whenever the width of node changes. */
  function keepFitting(node, redraw) {
    let width = node.clientWidth;
    redraw();
    new ResizeObserver(() => {
      if (node.clientWidth === width || matchMedia("print").matches) return;
      width = node.clientWidth;
      hideCard();
      redraw();
    }).observe(node);
  }

  /** Show the card of one mark beside it, inside the window. */
  function showCard(mark, title, note, rows) {
    const list = make("dl", "", ...rows.map(([name, text]) => make("div", "", make("dt", "", name), make("dd", "", text))));
    const node = card();
    node.replaceChildren(make("b", "", title), ...(note ? [make("p", "", note)] : []), list);
    node.hidden = false;
    const at = mark.getBoundingClientRect();
    const right = Math.min(at.right + 12, innerWidth - node.offsetWidth - 8);
    const covers = right < at.right;
    const top = covers ? at.bottom + 10 : at.top - 12;
    node.style.left = `${Math.max(8, right) + scrollX}px`;
    node.style.top = `${Math.max(8, Math.min(top, innerHeight - node.offsetHeight - 8)) + scrollY}px`;
  }

  function hideCard() {
    card().hidden = true;
  }

  /** Give marks a card on hover and focus, and let arrow keys walk them in the order given. */
  function walk(marks, describe) {
    marks.forEach((mark, place) => {
      const show = () => showCard(mark, ...describe(mark));
      const [title, note, rows] = describe(mark);
      mark.setAttribute("role", "img");
      mark.setAttribute("aria-label", [title, note, ...rows.map((row) => row.join(" "))].filter(Boolean).join("; "));
      mark.setAttribute("tabindex", place === 0 ? "0" : "-1");
      mark.addEventListener("pointerenter", show);
      mark.addEventListener("pointerleave", hideCard);
      mark.addEventListener("focus", show);
      mark.addEventListener("blur", hideCard);
      mark.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hideCard();
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const next = step && marks[place + step];
        if (!next) return;
        event.preventDefault();
        mark.setAttribute("tabindex", "-1");
        next.setAttribute("tabindex", "0");
        next.focus();
      });
    });
  }

  /** Make a row of radio buttons; change(index) is called for each choice. */
  function choices(legend, name, labels, chosen, change) {
    const set = make("fieldset", "choices", make("legend", "", legend));
    labels.forEach((text, index) => {
      const input = make("input");
      Object.assign(input, { type: "radio", name, checked: index === chosen });
      input.addEventListener("change", () => change(index));
      set.append(make("label", "", input, make("span", "", text)));
    });
    return set;
  }

  /** Make the list of what a chart could not draw, and why. */
  function missing(title, reasons) {
    return reasons.length
      ? [make("div", "notes", make("p", "", title), make("ul", "", ...reasons.map((text) => make("li", "", text))))]
      : [];
  }

  function frontier(node, { series, cards }) {
    if (!series.length) return node.append(make("p", "notes", "No curve was computed for this run."));
    const [axes, chart, notes] = [make("div", "axes"), make("div", "chart"), make("div")];
    const chosen = { series: series[0], x: 0, y: 0 };
    const names = (axis) => [...new Set(chosen.series.curves.map((curve) => curve[axis].choice))];
    const redraw = () => {
      const [x, y] = [names("x")[chosen.x], names("y")[chosen.y]];
      const curve = chosen.series.curves.find((one) => one.x.choice === x && one.y.choice === y);
      if (curve) drawFrontier(chart, notes, curve, cards, chosen.series);
      else chart.replaceChildren(make("p", "notes", "This curve was not computed."));
    };
    const redrawAxes = () => axes.replaceChildren(...[["y", "Show"], ["x", "against"]]
      .filter(([axis]) => names(axis).length > 1)
      .map(([axis, legend]) => choices(legend, `axis-${axis}`, names(axis), chosen[axis], (index) => {
        chosen[axis] = index;
        redraw();
      })));
    if (series.length > 1) {
      node.append(choices("Curve", "series", series.map((one) => one.name), 0, (index) => {
        Object.assign(chosen, { series: series[index], x: 0, y: 0 });
        redrawAxes();
        redraw();
      }));
    }
    node.append(axes, chart, notes);
    redrawAxes();
    keepFitting(chart, redraw);
  }

  function drawFrontier(chart, notes, curve, cards, { name, load }) {
    const narrow = chart.clientWidth < 560;
    const best = curve.points.filter((point) => point.frontier);
    const rest = curve.points.filter((point) => !point.frontier);
    const place = { x: "x", y: "y" };
    notes.replaceChildren(...missing("Not drawn:", curve.missing));
    if (!curve.points.length) return chart.replaceChildren(make("p", "notes", "No point has both figures."));
    const svg = mount(chart, {
      height: narrow ? 320 : 380,
      marginLeft: 56,
      marginRight: 28,
      marginTop: 36,
      marginBottom: 44,
      ariaLabel: `${name ? `${name}: ` : ""}${curve.y.label} against ${curve.x.label}`,
      x: { ...xAxis(curve.x.scale, curve.points.map((point) => point.x), narrow), label: title(curve.x), nice: curve.x.scale === "linear", inset: 8 },
      y: { label: title(curve.y), nice: true, zero: true, grid: true, ticks: 6 },
      marks: [
        Plot.line(best, { ...place, className: "frontier-line" }),
        Plot.ruleX(curve.points.filter((point) => point.ys), { x: "x", y1: (point) => point.ys[0], y2: (point) => point.ys[1], className: "whisker" }),
        Plot.ruleY(curve.points.filter((point) => point.xs), { y: "y", x1: (point) => point.xs[0], x2: (point) => point.xs[1], className: "whisker" }),
        Plot.dot(rest, { ...place, r: 6, className: "mark dominated" }),
        Plot.dot(best, { ...place, r: 6.5, className: "mark best" }),
        Plot.text(curve.points, { ...place, text: "label", dy: -15, className: "mark-label" }),
      ],
    });
    const groups = [["best", best], ["dominated", rest]];
    const found = groups.flatMap(([name, points]) =>
      [...svg.querySelectorAll(`.mark.${name} circle`)].map((mark) => [mark, points[d3.select(mark).datum()]]));
    const told = new Map(found.sort(([, a], [, b]) => a.x - b.x));
    walk([...told.keys()], (mark) => {
      const point = told.get(mark);
      const { title, rows } = cards[point.key] ?? { title: `${load} ${point.label}`, rows: [] };
      const names = [curve.x.choice, curve.y.choice];
      const own = names.map((name, axis) => [name, point.shown[axis]]);
      return [title, point.standing, [...own, ...rows.filter(([name]) => !names.includes(name))]];
    });
  }

  /** The x axis of a chart over values: 1, 2, 5 steps where it is logarithmic. */
  function xAxis(scale, values, narrow) {
    if (scale === "linear") return { type: "linear", grid: true, ticks: narrow ? 4 : 8, tickFormat: ",~r" };
    const [low, high] = d3.extent(values);
    const decades = d3.range(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)) + 1);
    const steps = decades.length > 3 ? [1] : [1, 2, 5];
    const ticks = decades.flatMap((power) => steps.map((step) => step * 10 ** power));
    return { type: "log", grid: true, ticks: ticks.filter((tick) => tick >= low && tick <= high), tickFormat: ",~r" };
  }

  function title(axis) {
    return `${axis.label}, ${axis.better === "smaller" ? "less" : "more"} is better`;
  }

  function distributions(node, panels) {
    const grid = make("div", "panels");
    node.append(grid);
    if (!panels.length) node.append(make("p", "notes", "No single requests were kept."));
    for (const panel of panels) {
      const chart = make("div", "chart");
      grid.append(make("figure", "", make("figcaption", "", `${panel.metric} (${panel.unit})`), chart,
        ...missing("No strip:", panel.absent)));
      if (panel.rows.length) keepFitting(chart, () => drawStrips(chart, panel));
    }
  }

  function drawStrips(chart, panel) {
    const ticks = panel.rows.flatMap((row) => row.ticks.map((value) => ({ label: row.label, value })));
    const ends = { x1: (row) => row.ticks[0], x2: (row) => row.ticks.at(-1), y: "label" };
    const svg = mount(chart, {
      height: 34 * panel.rows.length + 56,
      marginLeft: labelWidth(panel.rows.map((row) => row.label)),
      marginRight: 16,
      marginTop: 24,
      ariaLabel: `Distribution of ${panel.metric}`,
      x: { ...xAxis(panel.scale, ticks.map((tick) => tick.value), chart.clientWidth < 560), label: null, inset: 6 },
      y: { domain: panel.rows.map((row) => row.label), label: panel.load, labelAnchor: "top", labelArrow: "none", padding: 0.3, tickSize: 0 },
      marks: [
        Plot.barX(panel.rows, { ...ends, className: "strip", insetLeft: -4, insetRight: -4, rx: 3 }),
        Plot.tickX(ticks, { x: "value", y: "label", className: "strip-tick" }),
        Plot.dot(panel.rows, { x: "p99", y: "label", symbol: "diamond", r: 4, className: "strip-p99" }),
        Plot.dot(panel.rows, { x: "p50", y: "label", r: 4, className: "strip-p50" }),
      ],
    });
    walk([...svg.querySelectorAll(".strip rect")], (mark) => {
      const row = panel.rows[d3.select(mark).datum()];
      return [`${panel.metric} at ${row.title}`, row.single ? "Each tick is one request" : "Each tick is a percentile", row.rows];
    });
  }

  /** The names of [name, place] that stand apart from the one before by a distance. */
  function spread(named, distance) {
    let free = -Infinity;
    return named.filter(([, place]) => {
      if (place < free) return false;
      free = place + distance;
      return true;
    }).map(([name]) => name);
  }

  /** The margin that names of rows need. */
  function labelWidth(names) {
    return Math.max(44, 14 + 7.5 * Math.max(...names.map((name) => name.length)));
  }

  function timeline(node, timelines) {
    const drawn = timelines.filter((line) => line.sent.length);
    if (!drawn.length) return node.append(make("p", "notes", timelines.length ? "No request was issued." : "No single requests were kept."));
    const chart = make("div", "chart");
    const note = make("p", "notes");
    let line = drawn.at(-1);
    const redraw = () => drawTimeline(chart, note, line);
    const select = (index) => {
      line = drawn[index];
      redraw();
    };
    if (drawn.length > 1) node.append(choices("Point", "timeline", drawn.map((l) => l.label), drawn.length - 1, select));
    node.append(chart, note);
    keepFitting(chart, redraw);
  }

  function drawTimeline(chart, note, line) {
    const requests = line.sent.map((sent, i) => ({
      request: line.request[i], lane: line.lane[i], at: `${line.lane[i]}.${line.row[i]}`, place: i, sent, first: line.first[i], end: line.end[i], unhappy: line.unhappy[i],
    }));
    const waited = requests.filter((r) => (r.first ?? r.end) !== null);
    const answered = requests.filter((r) => r.first !== null && r.end !== null);
    const failed = requests.filter((r) => r.unhappy);
    const rows = [...new Map(requests.map((r) => [r.at, [r.lane, line.row[r.place]]])).values()]
      .sort(([lane, row], [other, below]) => lane - other || row - below);
    const lanes = rows.filter(([, row]) => row === 0).map(([lane]) => lane);
    const places = rows.map((row) => row.join("."));
    const step = Math.max(5, Math.min(18, Math.floor(340 / rows.length)));
    const apart = rows.length > lanes.length ? lanes.slice(1) : [];
    note.textContent = requests.length < line.total
      ? `The first ${requests.length.toLocaleString("en")} of ${line.total.toLocaleString("en")} requests.` : "";
    const svg = mount(chart, {
      height: step * rows.length + 76,
      marginLeft: 44,
      marginRight: 16,
      marginTop: 24,
      marginBottom: 44,
      ariaLabel: `Requests of ${line.title} over time`,
      x: { label: "seconds since the first request", grid: true, tickFormat: ",~r", ticks: chart.clientWidth < 560 ? 4 : 8 },
      y: {
        domain: places, label: "lane", labelAnchor: "top", labelArrow: "none", padding: 0.2, tickSize: 0,
        ticks: spread(places.map((at, place) => [at, place * step]).filter(([at]) => at.endsWith(".0")), 13),
        tickFormat: (at) => (parseInt(at) < 0 ? "–" : parseInt(at)),
      },
      marks: [
        Plot.tickY(apart, { y: (lane) => `${lane}.0`, className: "lane-edge", dy: -step / 2 }),
        Plot.barX(waited, { y: "at", x1: "sent", x2: (r) => r.first ?? r.end, className: "span waiting" }),
        Plot.barX(answered, { y: "at", x1: "first", x2: "end", className: "span answering" }),
        Plot.dot(failed, { y: "at", x: (r) => r.end ?? r.sent, symbol: "times", r: 4, className: "span-failed" }),
      ],
    });
    svg.addEventListener("pointermove", (event) => {
      const at = event.target.closest(".span rect, .span-failed path");
      if (!at) return hideCard();
      const source = at.closest(".span-failed") ? failed : at.closest(".answering") ? answered : waited;
      const r = source[d3.select(at).datum()];
      const of = line.turn ? [["conversation", `${line.stream[r.place]}`], ["turn", `${line.turn[r.place]}`]] : [];
      const told = [["lane", `${r.lane}`], ...of, ["sent", seconds(r.sent)], ["first content", seconds(r.first)], ["ended", seconds(r.end)]];
      showCard(at, `Request ${r.request}`, r.unhappy ?? "ok", told);
    });
    svg.addEventListener("pointerleave", hideCard);
  }

  function seconds(value) {
    return value === null ? "never" : `${value.toFixed(3)} s`;
  }

  const KINDS = { frontier: [frontier, "curves"], distributions: [distributions, "distributions"], timeline: [timeline, "timelines"] };

  function draw(root, data) {
    for (const node of root.querySelectorAll("[data-chart]")) {
      const [kind, key] = KINDS[node.dataset.chart];
      kind(node, data[key]);
    }
    document.documentElement.dataset.drawn = "yes";
  }

  return { draw };
})();

if (document.getElementById("data")) infxCharts.draw(document, JSON.parse(document.getElementById("data").textContent));
