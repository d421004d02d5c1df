// Draws the page from api/overview. Everything it shows is also text: each chart
// has a legend with its figures and a table.
"use strict";

const $ = (id) => document.getElementById(id);
const outcomes = [["plain", "grey"], ["paginated", "blue"], ["summarized", "teal"], ["chunked", "violet"], ["errors", "red"]];
const ended = (p, outcome) => outcome === "plain" ? p.calls - p.paginated - p.summarized - p.chunked - p.errors : p[outcome];
let data, timer, request;

// Formats. null is a time without calls.
const some = (format) => (v) => v == null ? "–" : format(v);
const digits = (v) => v >= 100 || v === 0 ? 0 : v >= 10 ? 1 : 2;
const rounded = (v) => v >= 100 ? v.toFixed(0) : v.toFixed(1);
const count = some((v) => v.toLocaleString("en"));
const share = some((v) => +(100 * v).toFixed(Math.abs(v) >= 0.0995 ? 0 : 1) + " %");
const size = some((v) => v < 1e3 ? Math.round(v) + " B" : v < 1e6 ? rounded(v / 1e3) + " kB" : rounded(v / 1e6) + " MB");
const latency = some((v) => v < 1e3 ? +v.toFixed(digits(v)) + " ms" : rounded(v / 1e3) + " s");
const clock = (t) => t.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = (t) => t.toLocaleDateString("en", { day: "numeric", month: "short", timeZone: daily() ? "UTC" : undefined });
const daily = () => data.stepSeconds >= 86400; // days are those of UTC

// make builds an element: make("td", {class: "number"}, "12", …).
function make(name, attributes = {}, ...children) {
  const svg = ["svg", "path", "rect", "line", "text", "circle", "g", "title"].includes(name);
  const el = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [k, v] of Object.entries(attributes)) el.setAttribute(k, v);
  el.append(...children);
  return el;
}

const line = (name, cls, key) => ({ name, cls, of: (p) => p.calls ? p[key] : null });
const charts = {
  "c-calls": { title: "Calls by outcome", format: count, least: 4, stacked: true,
    series: outcomes.map(([name, cls]) => ({ name, cls, of: (p) => ended(p, name) })) },
  "c-reduction": { title: "Response bytes: full and sent", format: size, least: 1000, bars: true,
    series: [{ name: "full", cls: "grey", of: (p) => p.originalBytes }, { name: "sent", cls: "blue", of: (p) => p.bytes }] },
  "c-bytes": { title: "Response size", format: size, least: 1000,
    series: [line("p50", "blue", "bytesP50"), line("p95", "orange", "bytesP95")] },
  "c-latency": { title: "Latency", format: latency, least: 1,
    series: [line("p50", "blue", "latencyMsP50"), line("p95", "orange", "latencyMsP95")] },
  "c-pages": { title: "Share of paginated answers", format: share, least: 0.1, most: 1,
    series: [{ ...line("paginated", "blue", "paginationShare"), area: true }] },
  "c-oversized": { title: "Share of oversized answers", format: share, least: 0.08, most: 1, limit: true,
    series: [{ ...line("oversized", "orange", "oversizedShare"), area: true }] },
};

// ticks returns round values from 0 to at least max; of counts, whole ones.
function ticks(max, whole) {
  const raw = max / 4, unit = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * unit).find((s) => s >= raw && !(whole && s % 1));
  const list = [];
  for (let v = 0; v < max + step * 0.999; v += step) list.push(v);
  return list;
}

// times returns round times of the range, at most one for every 70 pixels.
function times(from, to, width) {
  const minute = 60e3, hour = 60 * minute, most = Math.max(2, Math.floor(width / 70));
  const steps = [5 * minute, 10 * minute, 15 * minute, 20 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour, 24 * hour, 48 * hour, 120 * hour, 240 * hour];
  const step = steps.find((s) => (to - from) / s <= most) || steps.at(-1);
  const list = [], start = new Date(from);
  daily() ? start.setUTCHours(0, 0, 0, 0) : start.setHours(0, 0, 0, 0);
  for (let t = +start; t <= to; t += step) if (t >= from) list.push(t);
  return { list, label: (t) => step >= 24 * hour ? day(new Date(t)) : clock(new Date(t)) };
}

function draw(figure, chart) {
  const points = data.series, plot = figure.querySelector(".plot");
  const width = plot.clientWidth, height = plot.clientHeight;
  if (!width) return;
  const box = { left: 52, right: width - 8, top: 8, bottom: height - 22 };
  const values = points.flatMap((p) => chart.stacked ? [p.calls] : chart.series.map((s) => s.of(p) ?? 0));
  const marks = ticks(Math.min(Math.max(chart.least, ...values), chart.most || Infinity), chart.stacked);
  const from = Date.parse(data.from), to = Date.parse(data.to), top = marks.at(-1);
  const x = (t) => box.left + (t - from) / (to - from) * (box.right - box.left);
  const y = (v) => box.bottom - v / top * (box.bottom - box.top);
  const starts = points.map((p) => Date.parse(p.start)), step = data.stepSeconds * 1000;
  const bar = Math.max(1, (x(from + step) - x(from)) * 0.76);
  const svg = make("svg", { width, height, role: "img", "aria-label": chart.title + ". " + summary(chart, data.total) });
  for (const v of marks) {
    svg.append(make("line", { class: v ? "grid" : "axis", x1: box.left, x2: box.right, y1: y(v), y2: y(v) }));
    svg.append(make("text", { x: box.left - 8, y: y(v) + 4, "text-anchor": "end" }, chart.format(v).replace(".0 ", " ")));
  }
  const round = times(from, to, box.right - box.left);
  for (const t of round.list) svg.append(make("text", { x: x(t), y: height - 4, "text-anchor": "middle" }, round.label(t)));
  if (chart.stacked || chart.bars) {
    points.forEach((p, i) => {
      let base = 0;
      for (const s of chart.series) {
        const v = s.of(p);
        if (v) svg.append(make("rect", { class: s.cls, x: x(starts[i] + step / 2) - bar / 2, width: bar, y: y(base + v), height: y(base) - y(base + v) }));
        if (chart.stacked) base += v;
      }
    });
  } else {
    for (const s of chart.series) trace(svg, s, points.map((p, i) => [x(starts[i] + step / 2), s.of(p)]), y);
  }
  if (chart.limit) {
    svg.append(make("line", { class: "limit", x1: box.left, x2: box.right, y1: y(data.alert.limit), y2: y(data.alert.limit) }));
    svg.append(make("text", { class: "over", x: box.right, y: y(data.alert.limit) - 5, "text-anchor": "end" }, "alert above " + share(data.alert.limit)));
  }
  if (!data.total.calls) svg.append(make("text", { class: "nothing over", x: (box.left + box.right) / 2, y: height / 2, "text-anchor": "middle" }, "No calls in this time range"));
  plot.replaceChildren(svg);
  hover(figure, chart, svg, box, (px) => starts.findIndex((t) => px >= x(t) && px < x(t + step)), (i) => x(starts[i] + step / 2));
  legend(figure, chart, data.total, "");
  if (figure.querySelector("details").open) tabulate(figure, chart);
}

// trace draws a dot for each step with calls, and a line that breaks where there were none.
function trace(svg, series, points, y) {
  let run = [];
  const end = () => {
    const path = run.map(([px, v], i) => (i ? "L" : "M") + px.toFixed(1) + " " + y(v).toFixed(1)).join("");
    if (run.length > 1 && series.area) svg.append(make("path", { class: "area " + series.cls, d: `${path}L${run.at(-1)[0].toFixed(1)} ${y(0)}L${run[0][0].toFixed(1)} ${y(0)}Z` }));
    if (run.length > 1) svg.append(make("path", { class: "line " + series.cls, d: path }));
    for (const [px, v] of run) svg.append(make("circle", { class: series.cls, cx: px, cy: y(v), r: 1.8 }));
    run = [];
  };
  for (const p of points) p[1] == null ? end() : run.push(p);
  end();
}

const summary = (chart, p) => chart.series.map((s) => s.name + " " + chart.format(s.of(p))).join(", ");

// legend names the series with their figures at one time or, as a rule, in the whole range.
function legend(figure, chart, point, at) {
  figure.querySelector("time").textContent = at;
  figure.querySelector(".legend").replaceChildren(...chart.series.map((s) =>
    make("li", {}, make("span", { class: "key " + s.cls }), s.name + " ", make("b", {}, chart.format(s.of(point))))));
}

function span(p) {
  const start = new Date(p.start), end = new Date(+start + data.stepSeconds * 1000);
  return daily() ? day(start) + " UTC" : (data.stepSeconds >= 3600 ? day(start) + ", " : "") + clock(start) + "–" + clock(end);
}

function hover(figure, chart, svg, box, find, center) {
  const cursor = make("line", { class: "cursor", y1: box.top, y2: box.bottom, visibility: "hidden" });
  svg.append(cursor);
  svg.onpointermove = (event) => {
    const i = find(event.clientX - svg.getBoundingClientRect().left);
    if (i < 0) return svg.onpointerleave();
    cursor.setAttribute("x1", center(i));
    cursor.setAttribute("x2", center(i));
    cursor.setAttribute("visibility", "visible");
    legend(figure, chart, data.series[i], span(data.series[i]));
  };
  svg.onpointerleave = () => {
    cursor.setAttribute("visibility", "hidden");
    legend(figure, chart, data.total, "");
  };
}

function tabulate(figure, chart) {
  const head = make("tr", {}, make("th", { scope: "col" }, "Time"), ...chart.series.map((s) => make("th", { scope: "col", class: "number" }, s.name)));
  const rows = data.series.filter((p) => p.calls).reverse().map((p) => make("tr", {}, make("th", { scope: "row" }, span(p)),
    ...chart.series.map((s) => make("td", { class: "number" }, chart.format(s.of(p))))));
  if (!rows.length) rows.push(make("tr", {}, make("td", { colspan: chart.series.length + 1 }, "No calls in this time range")));
  figure.querySelector("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

function frame(figure, chart) {
  const details = make("details", {}, make("summary", {}, "Table"),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": chart.title }, make("table")));
  details.addEventListener("toggle", () => details.open && data && tabulate(figure, chart));
  figure.append(make("figcaption", {}, make("span", {}, chart.title), make("time")),
    make("ul", { class: "legend" }), make("div", { class: "plot" }), details);
  new ResizeObserver(() => data && draw(figure, chart)).observe(figure.querySelector(".plot"));
}

// text changes what an element says, if it is something else: changes are read aloud.
function text(id, value, sub) {
  if ($(id).textContent !== value) $(id).textContent = value;
  if (sub !== undefined) text(id + "-sub", sub || "\u00a0");
}

function tools() {
  const most = Math.max(1, ...data.tools.map((t) => t.calls));
  const rows = data.tools.map((t) => {
    const svg = make("svg", { width: "100%", height: 10, role: "img", "aria-label": outcomes.map(([o]) => `${o} ${ended(t, o)}`).join(", ") });
    let at = 0;
    for (const [o, cls] of outcomes) {
      const part = 100 * ended(t, o) / most;
      if (part) svg.append(make("rect", { class: cls, x: at + "%", width: part + "%", height: 10 }, make("title", {}, `${o} ${ended(t, o)}`)));
      at += part;
    }
    const cells = [count(t.errors), size(t.bytesP50), size(t.bytesP95), count(t.tokensP95), latency(t.latencyMsP50), latency(t.latencyMsP95), share(t.reduction)];
    return make("tr", {}, make("th", { scope: "row" }, t.tool), make("td", { class: "number" }, count(t.calls)), make("td", { class: "bar" }, svg),
      ...cells.map((c) => make("td", { class: "number" }, c)));
  });
  if (!rows.length) rows.push(make("tr", {}, make("td", { colspan: 10, class: "none" }, "No calls in this time range")));
  document.querySelector("#tools tbody").replaceChildren(...rows);
}

function show() {
  const t = data.total, a = data.alert, ix = data.index, readable = ix.status === "ok";
  const known = data.telemetry.on && !data.telemetry.problem;
  $("workspace").textContent = data.workspace;
  $("state").className = readable ? "ok" : "bad";
  text("state-text", readable ? `Index is readable, ${count(ix.documents)} documents` : "The index cannot be read");
  $("version").textContent = data.version;
  $("api").href = "api/overview?range=" + data.range;
  $("updated").textContent = "Figures of " + new Date(data.at).toLocaleTimeString([], { hourCycle: "h23" });

  $("alert").className = "strip " + (a.firing ? "bad" : a.calls ? "good" : "none");
  text("alert", !data.telemetry.on ? "Telemetry is off." : !known ? "The calls on record cannot be read." : a.calls
    ? `${a.firing ? "Alert: " : ""}${share(a.share)} of the last hour's ${count(a.calls)} answers would have been larger than their budget${a.firing ? `: more than ${share(a.limit)}` : ""}.`
    : `No calls in the last hour. More than ${share(a.limit)} oversized answers would be an alert.`);

  $("empty").hidden = t.calls > 0;
  $("empty-promise").hidden = !known;
  $("empty-title").textContent = known ? "No calls in this time range" : "No figures of calls";
  $("empty-text").textContent = data.telemetry.problem || (data.telemetry.on ? "" : "Telemetry is switched off in the configuration; only the state of the index is shown.");

  text("k-calls", count(t.calls), t.calls ? `${count(t.errors)} with an error` : "");
  text("k-reduction", share(t.calls ? t.reduction : null), t.calls ? `${size(t.bytes)} of ${size(t.originalBytes)}` : "");
  text("k-pages", share(t.calls ? t.paginationShare : null), t.calls ? `${count(t.paginated)} answers` : "");
  text("k-bytes", size(t.calls ? t.bytesP50 : null), t.calls ? `median; p95 ${size(t.bytesP95)}` : "");
  text("k-latency", latency(t.calls ? t.latencyMsP50 : null), t.calls ? `median; p95 ${latency(t.latencyMsP95)}` : "");
  text("k-oversized", share(t.calls ? t.oversizedShare : null), t.calls ? `if uncut; ${count(t.sentOversized)} sent so` : "");
  $("k-oversized").classList.toggle("warn", t.oversizedShare > a.limit);

  text("i-state", readable ? "Readable" : ix.problem || "Cannot be read");
  $("i-state").classList.toggle("warn", !readable);
  text("i-freshness", readable ? { watch: "Watched: every change is seen at once", verify: "Compared with the files before each answer", poll: "Compared with the files from time to time" }[ix.freshness] + (ix.reason ? ` (${ix.reason})` : "") : "–");
  text("i-documents", readable ? count(ix.documents) : "–");
  text("i-problems", readable ? count(ix.problems) + (ix.problems ? "; issues-index check lists them" : "") : "–");
  text("i-path", ix.path || "–");
  text("i-bytes", readable ? size(ix.bytes) : "–");
  tools();
  for (const [id, chart] of Object.entries(charts)) draw($(id), chart);
}

async function load() {
  clearTimeout(timer);
  request?.abort();
  const mine = request = new AbortController();
  const range = document.querySelector("#ranges input:checked").value;
  const late = setTimeout(() => mine.abort(), 10e3);
  try {
    const answer = await fetch("api/overview?range=" + range, { signal: mine.signal });
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const fresh = await answer.json();
    if (mine !== request) return;
    data = fresh;
    show();
  } catch {
    if (mine !== request) return;
    $("state").className = "bad";
    text("state-text", "The server does not answer; " + (data ? "older figures are shown" : "trying again"));
  } finally {
    clearTimeout(late);
    if (mine === request) timer = setTimeout(() => document.hidden || load(), range === "1h" ? 10e3 : 30e3);
  }
}

for (const [id, chart] of Object.entries(charts)) frame($(id), chart);
for (const input of document.querySelectorAll("#ranges input")) {
  if ("#" + input.value === location.hash) input.checked = true;
  input.addEventListener("change", () => { history.replaceState(null, "", "#" + input.value); load(); });
}
document.addEventListener("visibilitychange", () => document.hidden || load());
load();
