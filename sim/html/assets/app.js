(() => {
  "use strict";
  const D = JSON.parse(document.getElementById("data").textContent);
  const $ = (q) => document.querySelector(q);
  const lanes = ["urgent", "normal", "bulk"], phases = ["inbox", "timers", "systems", "flush"];
  const end = Math.max(D.duration / 1e3, 1e-3, ...D.runs.map((r) => last(r.columns.at) / 1e6 + D.interval / 1e3));
  const small = () => window.innerWidth < 700;
  let range = [0, end], timeCharts = [], all = [], moving = false;

  function last(a) { return a.length ? a[a.length - 1] : 0; }
  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim(); }
  function font(px, weight) { return (weight || "") + " " + px + "px system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"; }

  // Numbers as the words of the page have them: three digits that matter.
  function group(n) { return String(n).replace(/\B(?=(\d{3})+$)/g, ","); }
  function amount(ms) { return ms >= 99.95 ? group(Math.round(ms)) : ms >= 9.995 ? ms.toFixed(1) : ms.toFixed(2); }
  function plain(v) { return group(+v.toPrecision(6)).includes("e") ? String(v) : v >= 1000 ? group(v) : String(+v.toPrecision(6)); }

  function el(tag, className, text) {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text; // never markup: names come from files
    return e;
  }

  // panel is a heading with a readout and a place for a chart.
  function panel(where, name) {
    const p = el("div", "panel"), head = el("div", "head"), read = el("span"), plot = el("div", "plot");
    head.append(el("b", "", name), read);
    p.append(head, plot);
    where.append(p);
    return { plot, read, width: () => Math.max(plot.clientWidth, 200) };
  }

  function empty(where, text) { where.append(el("p", "empty", text)); }

  function axis(extra) {
    return Object.assign({
      stroke: colour("muted"), font: font(12), labelFont: font(12),
      grid: { stroke: colour("rule"), width: 1 }, ticks: { stroke: colour("rule"), width: 1, size: 4 },
    }, extra);
  }
  const timeAxis = (show) => axis({ size: show ? 32 : 8, values: (u, vs) => show ? vs.map((v) => plain(v) + " s") : vs.map(() => ""), space: 70 });
  const leftSize = () => (small() ? 46 : 60);

  // All charts over time show the same stretch and the same moment.
  function setRange(from, to, except) {
    if (moving) return;
    moving = true;
    range = [from, to];
    for (const c of timeCharts) if (c.u !== except) c.u.setScale("x", { min: from, max: to });
    moving = false;
    let found = false; // in a short run several buttons show the same
    press("#timeline .zoom", (b) => !found && (found = b.dataset.from == from && b.dataset.to == to));
  }

  function press(group, which) {
    for (const b of document.querySelectorAll(group + " button")) b.setAttribute("aria-pressed", which(b));
  }

  function timeOptions(p, height, read, more) {
    return Object.assign({
      width: p.width(), height, legend: { show: false }, padding: [10, end >= 1e4 ? 32 : 18, 0, 0],
      cursor: {
        sync: { key: "time", scales: ["x", null], filters: { pub: moves, sub: () => true } }, y: false, drag: { x: true, y: false }, points: { show: false },
        bind: { dblclick: () => () => { setRange(0, end); return null; } },
      },
      hooks: {
        setCursor: [(u) => read(u)],
        setScale: [(u, key) => { if (key === "x" && !moving) setRange(u.scales.x.min, u.scales.x.max, u); }],
      },
    }, more);
  }

  // moves lets other charts follow the cursor; zooming they are told by setRange.
  function moves(type) { return type === "mousemove" || type === "mouseleave"; }

  function addTime(u, where) { where.push(u); timeCharts.push({ u }); all.push(u); }

  // marks draws the events of the scenario, with names if there is room above.
  function marks(u, names) {
    const c = u.ctx, b = u.bbox, r = devicePixelRatio;
    c.save();
    c.strokeStyle = colour("frame"); c.fillStyle = colour("muted");
    c.lineWidth = r; c.setLineDash([4 * r, 3 * r]); c.font = font(12 * r); c.textAlign = "left"; c.textBaseline = "alphabetic";
    let free = Infinity;
    for (let i = D.marks.length - 1; i >= 0; i--) {
      const at = D.marks[i].at_ms / 1e3;
      if (at < u.scales.x.min || at > u.scales.x.max) continue;
      const x = Math.round(u.valToPos(at, "x", true));
      c.beginPath(); c.moveTo(x, b.top); c.lineTo(x, b.top + b.height); c.stroke();
      if (!names) continue;
      const w = c.measureText(D.marks[i].label).width;
      const left = Math.min(x, b.left + b.width - w);
      if (left + w + 8 * r > free) continue; // the next one has its place
      c.fillText(D.marks[i].label, left, b.top - 6 * r);
      free = left;
    }
    c.restore();
  }

  function budget(u, label) {
    const y = Math.round(u.valToPos(D.interval, "y", true)), b = u.bbox, c = u.ctx, r = devicePixelRatio;
    if (y < b.top || y > b.top + b.height) return;
    c.save();
    c.strokeStyle = c.fillStyle = colour("budget"); c.lineWidth = 1.5 * r;
    c.beginPath(); c.moveTo(b.left, y); c.lineTo(b.left + b.width, y); c.stroke();
    if (label) {
      c.font = font(12 * r, 600); c.textAlign = "left"; c.textBaseline = "bottom";
      c.fillText(plain(D.interval) + " ms", b.left + 4 * r, y - 3 * r);
    }
    c.restore();
  }

  // tens are the marks of a logarithmic axis: more would be a grey veil.
  function tens(u, axis, lo, hi) {
    const out = [];
    for (let k = Math.ceil(Math.log10(lo) - 1e-9); k <= Math.log10(hi) + 1e-9; k++) out.push(Math.pow(10, k));
    return out;
  }

  // scaleMS is the range of lengths that all panels share.
  const scaleMS = (() => {
    let lo = D.interval, hi = D.interval;
    for (const r of D.runs) for (const v of r.columns.length) {
      if (v > hi * 1e3) hi = v / 1e3;
      if (v < lo * 1e3) lo = v / 1e3;
    }
    // A decade lower if the shortest tick would lie on the axis, where nobody sees it.
    return [Math.pow(10, Math.floor(Math.log10(Math.max(lo / 1.5, 0.01)))), hi * 1.25];
  })();

  // bars draws every tick from the bottom to its length, those over the budget in
  // another colour and on top: a tick of a second in a night is a line, not a gap.
  function bars(u, cols) {
    const c = u.ctx, b = u.bbox, s = u.scales.x, r = devicePixelRatio;
    const bottom = b.top + b.height, perTick = b.width / (s.max - s.min) * D.interval / 1e3 * cols.per;
    const w = Math.max(r, Math.min(perTick * 0.8, 14 * r));
    c.save();
    c.beginPath(); c.rect(b.left, b.top, b.width, b.height); c.clip();
    for (const over of [false, true]) {
      c.fillStyle = colour(over ? "over" : "within");
      for (let i = 0; i < cols.at.length; i++) {
        const ms = cols.length[i] / 1e3, at = cols.at[i] / 1e6;
        if ((ms > D.interval) !== over || at < s.min - 1 || at > s.max) continue;
        const x = u.valToPos(at, "x", true), y = u.valToPos(Math.max(ms, scaleMS[0]), "y", true);
        const h = Math.max(bottom - y, r);
        c.fillRect(x, bottom - h, over ? Math.max(w, 1.5 * r) : w, h);
      }
    }
    c.restore();
  }

  // nearest is the highest point within three pixels of the cursor, so that the one
  // tall line in a thousand can be pointed at.
  function nearest(u, cols) {
    const left = u.cursor.left, i = u.cursor.idx;
    if (left == null || left < 0 || i == null || !cols.at.length) return -1;
    const reach = 3 * (u.scales.x.max - u.scales.x.min) / Math.max(u.over.clientWidth, 1) * 1e6, at = u.posToVal(left, "x") * 1e6;
    let best = i;
    for (const step of [-1, 1]) {
      for (let j = i + step; j >= 0 && j < cols.at.length && Math.abs(cols.at[j] - at) <= reach; j += step)
        if (cols.length[j] > cols.length[best]) best = j;
    }
    return best;
  }

  function tickText(run, i) {
    const c = run.columns, parts = [];
    parts.push((c.per > 1 ? "longest of " + c.per + ": tick " : "tick ") + group(c.tick[i]), (c.at[i] / 1e6).toFixed(2) + " s", amount(c.length[i] / 1e3) + " ms");
    phases.forEach((p, k) => { if (c.phases[k][i] * 5 > c.length[i]) parts.push(p + " " + amount(c.phases[k][i] / 1e3)); });
    if (run.kinds[c.slowest[i]]) parts.push("most: " + run.kinds[c.slowest[i]]);
    if (c.fired[i]) parts.push(group(c.fired[i]) + " fired");
    if (c.late[i] > 0) parts.push("began " + amount(c.late[i] / 1e3) + " late");
    if (c.shed[i]) parts.push(group(c.shed[i]) + " shed before");
    return parts.join(" · ");
  }

  function timeline() {
    const where = $("#timeline .charts");
    const mine = [];
    D.runs.forEach((run, k) => {
      const p = panel(where, run.label), c = run.columns;
      const rest = () => { p.read.textContent = run.summary; p.read.className = run.over ? "over" : ""; };
      rest();
      if (!c.at.length) { empty(p.plot, "No ticks recorded."); return; }
      const isLast = k === D.runs.length - 1, isFirst = !mine.length;
      const height = (D.runs.length < 3 ? 190 : D.runs.length < 7 ? 116 : 92) + (isLast ? 24 : 0) + (isFirst ? 16 : 0);
      const o = timeOptions(p, height, (u) => {
        const i = nearest(u, c);
        if (i < 0) { rest(); return; }
        p.read.textContent = tickText(run, i);
        p.read.className = c.length[i] / 1e3 > D.interval ? "over" : "";
      }, {
        padding: [isFirst ? 26 : 10, end >= 1e4 ? 32 : 18, 0, 0],
        scales: { x: { time: false, range: (u, a, b) => [a, b] }, y: { distr: 3, range: () => scaleMS } },
        axes: [timeAxis(isLast), axis({ size: leftSize(), splits: tens, filter: (u, vs) => vs, values: (u, vs) => vs.map(plain) })],
        series: [{}, { paths: () => null, points: { show: false } }],
      });
      o.hooks.drawAxes = [(u) => marks(u, isFirst)];
      o.hooks.draw = [(u) => { bars(u, c); budget(u, isFirst); }];
      const u = new uPlot(o, [c.at.map((v) => v / 1e6), c.length.map((v) => v / 1e3)], p.plot);
      addTime(u, mine);
      u.setScale("x", { min: range[0], max: range[1] });
    });
  }

  // zooms are stretches to look at without a mouse.
  function zooms() {
    const where = $("#timeline .zoom"), add = (name, from, to) => {
      const b = el("button", "", name);
      b.type = "button"; b.dataset.from = Math.max(from, 0); b.dataset.to = Math.min(to, end);
      b.onclick = () => setRange(+b.dataset.from, +b.dataset.to);
      where.append(b);
    };
    add("whole run", 0, end);
    const width = Math.max(D.interval / 1e3 * 20, Math.min(6, end / 8));
    for (const m of D.marks.slice(0, 12)) add(m.label, m.at_ms / 1e3 - width / 6, m.at_ms / 1e3 + width * 5 / 6);
    const slowest = D.runs.flatMap((r) => r.slow).sort((a, b) => b.length - a.length)[0];
    if (slowest) add("longest tick", slowest.at / 1e3 - D.interval / 100, slowest.at / 1e3 + slowest.length / 1e3 + D.interval / 100);
    press("#timeline .zoom", (b) => b === where.firstChild);
  }

  const picks = [
    ["length of ticks", "length", "How long ticks took. The axis counts nines: each step to the right leaves a tenth of the ticks."],
    ["from the intended start", "response", "From when a tick was meant to begin to its end, with a value for each interval that was given up: what a client feels."],
  ];
  function percentiles(which) {
    const box = $("#percentiles .charts"), p = { plot: box, width: () => Math.max(box.clientWidth, 200) };
    box.replaceChildren();
    $("#percentiles .hint").textContent = picks[which][2];
    press("#percentiles .pick", (b) => b.textContent === picks[which][0]);
    const runs = D.runs.filter((r) => r.spectrum.x.length);
    if (!runs.length) { empty(box, "No ticks recorded."); return null; }
    const values = (r) => r.spectrum[picks[which][1]].map((v) => Math.max(v / 1e3, 0.001));
    const data = [runs[0].spectrum.x, ...runs.map(values)];
    const hi = Math.max(D.interval, ...data.slice(1).map(last)) * 1.25, lo = Math.min(scaleMS[0], ...data.slice(1).map((v) => v[0]));
    const at = [0, Math.log10(2)], names = ["0", "50"];
    for (let k = 1; k < D.nines; k++) { at.push(k); names.push(k === 1 ? "90" : "99" + (k > 2 ? "." + "9".repeat(k - 2) : "")); }
    at.push(D.nines); names.push("max");
    const quantile = (x) => x >= D.nines ? "max" : "p" + +(100 * (1 - Math.pow(10, -x))).toFixed(Math.max(0, Math.ceil(x) - 1));
    const o = {
      width: p.width(), height: small() ? 300 : 380, padding: [12, 18, 0, 0],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: false, range: () => [0, D.nines] }, y: { distr: 3, range: () => [lo, hi] } },
      axes: [
        axis({ splits: () => at, values: () => names.map((n, i) => small() && D.nines > 4 && i === 1 ? "" : n), size: 32 }),
        axis({ size: leftSize() + (small() ? 0 : 16), splits: tens, filter: (u, vs) => vs, values: (u, vs) => vs.map((v) => plain(v) + (small() ? "" : " ms")) }),
      ],
      series: [{ label: "percentile", value: (u, v) => v == null ? "–" : quantile(v) }, ...runs.map((r) => {
        const k = D.runs.indexOf(r);
        return {
          label: r.label, stroke: colour("s" + k % 8), width: 2 + 2 * (D.runs.length - 1 - k) / Math.max(D.runs.length, 2), dash: k >= 8 ? [6, 4] : undefined,
          points: { show: false }, value: (u, v) => v == null ? "–" : amount(v) + " ms",
        };
      })],
      hooks: { drawAxes: [(u) => budget(u, true)] },
    };
    return new uPlot(o, data, box);
  }

  // lines is a chart over time of some columns; nothing to see is said in words.
  function lines(id, run, made, series, unit, none) {
    const box = $("#" + id);
    const high = series.reduce((h, s) => s.values.reduce((a, b) => Math.max(a, b), h), 0);
    if (!run.columns.at.length || high === 0) { empty(box, none); return; }
    const p = panel(box, "");
    const name = p.read.previousSibling;
    const rest = () => {
      name.replaceChildren(...series.flatMap((s, k) => {
        const i = el("i", ""); i.style.cssText = "display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 5px 0 " + (k ? 14 : 0) + "px;background:" + colour(s.colour);
        const t = el("span", "", s.name); t.style.fontWeight = 400;
        return [i, t];
      }));
      p.read.textContent = "most: " + series.map((s) => group(s.values.reduce((a, b) => Math.max(a, b), 0))).join(" / ") + " " + unit;
    };
    rest();
    const o = timeOptions(p, 150, (u) => {
      const i = u.cursor.idx;
      if (i == null || u.cursor.left < 0) { rest(); return; }
      p.read.textContent = (run.columns.at[i] / 1e6).toFixed(2) + " s: " + series.map((s) => (series.length > 1 ? s.name + " " : "") + group(s.values[i])).join(" · ") + " " + unit;
    }, {
      scales: { x: { time: false, range: (u, a, b) => [a, b] }, y: { range: () => [0, Math.max(high * 1.08, 1)] } },
      axes: [timeAxis(true), axis({ size: leftSize(), incrs: [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 1e8, 1e9], values: (u, vs) => vs.map((v) => v >= 1e4 ? group(Math.round(v / 1e3)) + "k" : plain(v)) })],
      series: [{}, ...series.map((s) => ({ stroke: colour(s.colour), fill: colour(s.colour) + "22", width: 1.5, points: { show: false } }))],
    });
    o.hooks.drawAxes = [(u) => marks(u, false)];
    const u = new uPlot(o, [run.columns.at.map((v) => v / 1e6), ...series.map((s) => s.values)], p.plot);
    addTime(u, made);
    u.setScale("x", { min: range[0], max: range[1] });
  }

  let made = [];
  function details(k) {
    for (const u of made) u.destroy();
    timeCharts = timeCharts.filter((c) => !made.includes(c.u));
    all = all.filter((u) => !made.includes(u));
    made = [];
    for (const id of ["backlog", "late", "jobs", "busy"]) $("#" + id).replaceChildren();
    const run = D.runs[k], c = run.columns;
    press("#details .pick", (b) => +b.dataset.run === k);
    const byLane = (cols) => lanes.map((name, i) => ({ name, colour: "lane" + i, values: cols[i] }));
    lines("backlog", run, made, byLane(c.backlog), "timers", "No timer was carried to a later tick.");
    lines("late", run, made, byLane(c.lateBy), "ticks", "No timer ran late.");
    $("#details h3 + .hint + #jobs").previousElementSibling.textContent = run.workers
      ? run.workers + (run.workers === 1 ? " worker. " : " workers. ") + "Jobs outstanding at the end of a tick, and how busy the workers were in the second before."
      : "This policy has none: what blocks, blocks the tick.";
    if (run.workers) {
      lines("jobs", run, made, [{ name: "jobs outstanding", colour: "p1", values: c.jobs }], "jobs", "No jobs.");
      lines("busy", run, made, [{ name: "workers busy", colour: "p3", values: c.busy }], "%", "No worker was busy.");
    }
    slowest(run);
  }

  function slowest(run) {
    const body = $("#slow tbody");
    body.replaceChildren();
    for (const t of run.slow) {
      const tr = el("tr"), bar = el("div", "bar"), phase = el("td", "text"), cell = (text, cls) => tr.append(el("td", cls, text));
      cell(group(t.tick)); cell((t.at / 1e3).toFixed(2)); cell(amount(t.length), t.length > D.interval ? "bad" : "");
      t.shares.forEach((s, i) => { const part = el("span", "p" + i); part.style.width = s / 10 + "%"; bar.append(part); });
      bar.title = phases.map((p, i) => p + " " + t.phases[i] + " ms").join(", ");
      bar.setAttribute("role", "img"); bar.setAttribute("aria-label", bar.title);
      phase.append(bar);
      cell(t.cause, "text made"); tr.append(phase); cell(t.fired); cell(t.carried);
      tr.title = "show it in the charts";
      tr.onclick = () => { setRange(Math.max(0, t.at / 1e3 - 1), Math.min(end, t.at / 1e3 + 2)); $("#timeline").scrollIntoView({ behavior: "smooth" }); };
      body.append(tr);
    }
    if (!run.slow.length) { const td = el("td", "text", "no ticks recorded"); td.colSpan = 7; const tr = el("tr"); tr.append(td); body.append(tr); }
  }

  // interesting is the run whose details are shown first: the one with the most
  // timers carried, or the last.
  function interesting() {
    let best = D.runs.length - 1, most = 0;
    D.runs.forEach((r, k) => {
      const n = Math.max(0, ...r.columns.backlog.map((b) => b.reduce((x, y) => Math.max(x, y), 0)));
      if (n > most) { most = n; best = k; }
    });
    return best;
  }

  let spectrum = null, which = 0, shown = interesting();
  function draw() {
    for (const u of all) u.destroy();
    if (spectrum) spectrum.destroy();
    all = []; timeCharts = []; made = [];
    $("#timeline .charts").replaceChildren();
    timeline();
    spectrum = percentiles(which);
    details(shown);
  }

  zooms();
  picks.forEach(([name], i) => {
    const b = el("button", "", name);
    b.type = "button"; b.onclick = () => { which = i; if (spectrum) spectrum.destroy(); spectrum = percentiles(i); };
    $("#percentiles .pick").append(b);
  });
  D.runs.forEach((r, i) => {
    const b = el("button", "", r.label);
    b.type = "button"; b.dataset.run = i; b.onclick = () => { shown = i; details(i); };
    $("#details .pick").append(b);
  });
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let width = window.innerWidth, later = 0;
  addEventListener("resize", () => {
    if (window.innerWidth === width) return; // on phones the height changes while scrolling
    width = window.innerWidth;
    clearTimeout(later);
    later = setTimeout(draw, 100);
  });
  // What tests look at.
  window.simulate = { range: () => range, setRange, charts: () => [...all, ...(spectrum ? [spectrum] : [])] };
})();
