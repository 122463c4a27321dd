// What was measured: a row per kernel, and the tables of times and resources.
// Every figure stands in a table; bars only repeat it. What is better or worse
// is said in words as well as by colour.
// Speedups this near to 1 are called equal where no spread is known.
const AssumedNoise = 0.02;
const FewestRunsForInterval = 5;

function effectOf(kernel) {
  const speedup = kernel.speedup;
  if (!isNumber(speedup) || speedup <= 0)
    return "unknown";
  const [low, high] = kernel["speedup-interval"] ?? [speedup / (1 + AssumedNoise), speedup * (1 + AssumedNoise)];
  return low > 1 ? "faster" : high < 1 ? "slower" : "equal";
}

// Finds kernels of a plan. Instantiations differ in their mangled names only;
// where Clang and nvcc mangle differently, the name in the source has to do, if
// only one kernel has it.
function planFinder(plan) {
  const all = plan?.kernels ?? [];
  return (kernel) => {
    const [found] = all.filter((k) => k.canonicalName === kernel.name);
    const named = all.filter((k) => k.name === kernel.function);
    return found ?? (named.length === 1 ? named[0] : undefined);
  };
}

function makeRow(kernel, planned) {
  const { original: before, rewritten: after } = kernel;
  const row = {
    name: kernel.name, short: plotName(kernel.function), function: kernel.function, launches: kernel.launches,
    medianBefore: kernel["original-median-ns"], medianAfter: kernel["rewritten-median-ns"],
    spreadBefore: kernel["original-spread-ns"], spreadAfter: kernel["rewritten-spread-ns"],
    totalBefore: kernel["original-total-ns"], totalAfter: kernel["rewritten-total-ns"],
    speedup: kernel.speedup, sure: kernel["speedup-interval"], effect: effectOf(kernel),
    before, after, planned, library: kernel["unchanged-library"],
  };
  row.isTimed = isNumber(row.medianBefore) || isNumber(row.medianAfter);
  row.won = row.totalBefore - row.totalAfter;
  return row;
}

const sum = (rows, field) => rows.reduce((total, row) => total + row[field], 0);

// The equal kernels of one library as one row.
function libraryRow(library, rows) {
  const row = {
    name: rows.map((r) => r.name).join("\n"), short: `${rows.length} equal kernels of ${library}`, isLibrary: true,
    launches: sum(rows, "launches"), totalBefore: sum(rows, "totalBefore"), totalAfter: sum(rows, "totalAfter"),
    isTimed: rows.some((r) => r.isTimed), effect: rows.some((r) => r.isTimed) ? "equal" : "unknown",
  };
  row.function = row.short;
  row.won = row.totalBefore - row.totalAfter;
  row.medianBefore = row.medianAfter = null;
  row.speedup = row.isTimed && row.totalAfter > 0 ? row.totalBefore / row.totalAfter : null;
  return row;
}

function withLibrariesTogether(rows) {
  const libraries = grouped(rows.filter((row) => row.library), (row) => row.library);
  const isAlone = (row) => (libraries.get(row.library)?.length ?? 1) === 1;
  return [...rows.filter(isAlone),
          ...[...libraries].filter(([, of]) => of.length > 1).map(([library, of]) => libraryRow(library, of))];
}

// Instantiations of one template may be the same when shortened.
function numberShortNames(rows) {
  for (const alike of grouped(rows, (row) => row.short).values())
    if (alike.length > 1)
      alike.forEach((row, i) => { row.short += ` #${i + 1}`; });
}

// Everything below the verdict. What changed the program most comes first, then
// what is equal, by its time.
function kernelRows(verify, plan) {
  const find = planFinder(plan);
  const all = (verify.kernels ?? []).map((kernel) => makeRow(kernel, find(kernel)));
  const rows = withLibrariesTogether(all);
  const changed = (row) => (row.effect === "equal" ? 0 : Math.abs(row.won));
  rows.sort((a, b) => changed(b) - changed(a) || b.totalBefore - a.totalBefore || (a.name < b.name ? -1 : 1));
  numberShortNames(rows);
  const count = (effect) => all.filter((row) => row.effect === effect).length;
  const most = (side) => Math.max(0, ...all.map((row) => row[side]?.local ?? 0));
  const totalBefore = sum(all, "totalBefore"), totalAfter = sum(all, "totalAfter");
  return {
    rows, totalBefore, totalAfter, faster: count("faster"), slower: count("slower"), equal: count("equal"),
    notTimed: count("unknown"), hasIntervals: all.some((row) => row.sure), measured: all,
    speedup: totalBefore > 0 && totalAfter > 0 ? totalBefore / totalAfter : null,
    mostLocal: [most("before"), most("after")],
  };
}

// The factors of 1, 2 or 5 times a power of ten, or of powers of ten alone, from
// the last one below low to the first one beyond high.
function ticksAround(low, high, steps) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
    for (const step of steps)
      ticks.push(Number(`${step}e${power}`));
  const begin = ticks.findLastIndex((tick) => tick <= low * (1 + 1e-9));
  const end = ticks.findIndex((tick) => tick >= high * (1 - 1e-9));
  return ticks.slice(Math.max(begin, 0), end < 0 ? undefined : end + 1);
}

// A logarithmic axis of factors that has 1 on it. place(factor) is in percent of
// the width; 4 are left free on both sides, for half a label.
function factorAxis(rows) {
  let low = 0.5, high = 2;
  for (const factor of rows.flatMap((row) => [row.speedup, ...(row.sure ?? [])]))
    if (isNumber(factor) && factor > 0) {
      low = Math.min(low, Math.max(factor, 1e-6));
      high = Math.max(high, Math.min(factor, 1e6));
    }
  let ticks = ticksAround(low, high, [1, 2, 5]);
  if (ticks.length > 9) // More labels run into each other in a narrow window.
    ticks = ticksAround(low, high, [1]);
  low = ticks[0];
  high = ticks[ticks.length - 1];
  const place = (factor) => 4 + 92 * Math.log(Math.min(Math.max(factor, low), high) / low) / Math.log(high / low);
  return { ticks, place };
}

const percent = (value) => value.toFixed(2) + "%";

function axisPlot(axis) {
  return html`<svg class="axis" aria-hidden="true">${
    axis.ticks.map((tick) => html`<text x="${percent(axis.place(tick))}" y="13">${tick}×</text>`)}</svg>`;
}

const plotClass = (row) => (row.effect === "unknown" ? "equal" : row.effect);

// What the plot of a speedup says, in words.
function speedupSentence(row) {
  if (!isNumber(row.speedup))
    return row.name + (row.isTimed ? ": timed in one program only" : ": not timed");
  const range = row.sure ? ` (${factorText(row.sure[0])} to ${factorText(row.sure[1])})` : "";
  return `${row.name}: ${row.effect === "equal" ? "equal within the noise, " : ""}${factorText(row.speedup)} as fast ` +
    `as the original${range}; ${wonText(row.won)} per run`;
}

// A bar from 1 to the speedup, a dot at its end, and a line for the interval.
function speedupPlot(row, axis) {
  const at = (factor) => percent(axis.place(factor));
  const lines = axis.ticks.map((tick) =>
    html`<line class="${tick === 1 ? "one" : "tick"}" x1="${at(tick)}" x2="${at(tick)}" y1="-1" y2="31"/>`);
  const one = axis.place(1), end = isNumber(row.speedup) ? axis.place(row.speedup) : one;
  const bar = isNumber(row.speedup)
    ? html`<rect x="${percent(Math.min(one, end))}" y="8" width="${percent(Math.abs(end - one))}" height="12"/>${
      row.sure ? html`<line class="sure" x1="${at(row.sure[0])}" x2="${at(row.sure[1])}" y1="14" y2="14"/>` : ""
      }<circle cx="${percent(end)}" cy="14" r="5"/>` : "";
  return html`<svg class="bar ${plotClass(row)}" role="img"><title>${speedupSentence(row)}</title>${lines}${bar}</svg>`;
}

// Two bars, before and after, of which `most` nanoseconds fill the width.
function timePlot(row, most) {
  const width = (time) => percent(most > 0 ? Math.max(0, time / most * 100) : 0);
  const text = (total, other) => (total > 0 || other === 0 ? durationText(total) : "nothing");
  return html`<svg class="pair ${plotClass(row)}" role="img"><title>${row.short}: ${
    text(row.totalBefore, row.totalAfter)} before, ${text(row.totalAfter, row.totalBefore)} after</title>${
    ""}<rect class="before" y="3" width="${width(row.totalBefore)}" height="9"/>${
    ""}<rect class="after" y="15" width="${width(row.totalAfter)}" height="9"/></svg>`;
}

// Beyond 300 characters a name is cut in a title; it stands in full below the
// resources and in the title of its speedup.
function kernelHeading(row) {
  return html`<th scope="row" title="${cutText(row.name, 300)}"><code>${row.short}</code></th>`;
}

function effectText(row) {
  switch (row.effect) {
  case "faster":
    return html`<span class="faster">▲ faster</span>`;
  case "slower":
    return html`<span class="slower">▼ slower</span>`;
  case "equal":
    return html`<span class="equal">= equal</span>`;
  }
  return html`<span class="equal">${
    isNumber(row.medianBefore) ? "original only" : isNumber(row.medianAfter) ? "rewritten only" : "not timed"}</span>`;
}

const intervalText = (sure) => (sure ? `${sure[0].toFixed(2)} to ${sure[1].toFixed(2)}` : "-");

function speedupRow(row, axis, hasIntervals) {
  const cell = (kind, content) => html`<td class="${kind}">${content}</td>`;
  return html`<tr>${kernelHeading(row)}${cell("plot", speedupPlot(row, axis))}${
    cell("figure", html`<strong>${factorText(row.speedup)}</strong>`)}${
    hasIntervals ? cell("figure", intervalText(row.sure)) : ""}${cell("effect", effectText(row))}${
    // What an equal kernel seems to win is noise.
    cell("figure", row.isTimed && row.effect !== "equal" ? wonText(row.won) : "-")}</tr>
`;
}

function speedupSection(kernels) {
  if (!kernels.rows.length)
    return "";
  const axis = factorAxis(kernels.rows);
  const heading = (content, kind = "") =>
    html`<th scope="col"${new Html(kind)}>${content}</th>`;
  const noise = kernels.hasIntervals
    ? "The line through a dot is the interval in which the speedup lies with a probability of 95 %; where it holds 1, " +
      "the kernel is called equal."
    : `There are no intervals, which need --runs=${FewestRunsForInterval} or more; speedups within ${
      AssumedNoise * 100} % of 1 are called equal.`;
  return section("speedup", "Speedup of each kernel",
    table('class="speedup"',
      "Time of the original over the time of the rewritten kernel, on a logarithmic axis; what won or lost the program " +
      "most time comes first",
      html`<thead><tr>${heading("kernel")}${
        heading(html`<span class="ends"><span>◀ slower</span><span>faster ▶</span></span>${axisPlot(axis)}`,
                ' class="plot"')}${heading("speedup")}${
        kernels.hasIntervals ? heading("95 % interval") : ""}${heading("result")}${heading("per run")}</tr></thead>
<tbody>
${kernels.rows.map((row) => speedupRow(row, axis, kernels.hasIntervals))}</tbody>`),
    hint(noise));
}

const totalText = (total) => (total > 0 ? durationText(total) : "-");
const shareText = (part, whole) => (whole > 0 ? `${(part / whole * 100).toFixed(1)} %` : "-");

function timeRow(row, kernels, most) {
  return html`<tr>${kernelHeading(row)}<td class="plot">${timePlot(row, most)}</td>${
    figure(totalText(row.totalBefore))}${figure(totalText(row.totalAfter))}${figure(wonText(row.won))}${
    figure(shareText(row.totalBefore, kernels.totalBefore))}${figure(shareText(row.totalAfter, kernels.totalAfter))}</tr>
`;
}

function timeSection(kernels, total) {
  if (kernels.totalBefore <= 0 && kernels.totalAfter <= 0)
    return "";
  const most = Math.max(...kernels.rows.flatMap((row) => [row.totalBefore, row.totalAfter]));
  const sure = total?.["speedup-interval"];
  return section("time", "Time of the whole program",
    table('class="figures times"', "All launches of one run together, the median over the timed runs",
      columns(["kernel",
        html`<span class="key"><span class="before">before</span> <span class="after">after</span></span>`,
        "before", "after", "won or lost", "share before", "share after"]),
      tableBody(kernels.rows.filter((row) => row.isTimed).map((row) => timeRow(row, kernels, most))),
      html`
<tfoot><tr><th scope="row">all kernels</th><td class="plot"></td>${figure(totalText(kernels.totalBefore))}${
  figure(totalText(kernels.totalAfter))}${figure(wonText(kernels.totalBefore - kernels.totalAfter))}${
  figure("speedup " + factorText(kernels.speedup))}${figure(sure ? intervalText(sure) : "")}</tr></tfoot>`),
    hint("Time on the GPU alone. Copies, the host and the gaps between launches are not in it."));
}

const either = (one, text) => (isNumber(one) ? text(one) : "-");

// A cell with one field of both programs.
function resourceCell(row, field) {
  return figure(changeText(either(row.before?.[field], countText), either(row.after?.[field], countText)));
}

function fullNames(rows) {
  const shortened = rows.filter((row) => row.short !== row.function || row.isLibrary);
  return shortened.length ? html`<details><summary>Full names of the kernels</summary><dl class="names">
${shortened.map((row) => html`<dt><code>${row.short}</code></dt><dd><code>${
  row.name.split("\n").map((name, i) => html`${i ? new Html("<br/>") : ""}${name}`)}</code></dd>
`)}</dl></details>
` : "";
}

function resourceSection(kernels) {
  if (!kernels.rows.length)
    return "";
  const has = (field) => kernels.rows.some((row) => row.before?.[field] || row.after?.[field]);
  const hasWarps = has("resident-warps");
  const spread = (median, range) => (median > 0 ? `${(50 * range / median).toFixed(1)} %` : "-");
  // A heading and the cell of a row, for each column that anything is known of.
  const shown = [
    ["kernel", (row) => kernelHeading(row)],
    ["launches", (row) => figure(countText(row.launches))],
    ["median launch", (row) => figure(changeText(durationText(row.medianBefore), durationText(row.medianAfter)))],
    ["spread",
     (row) => figure(`${spread(row.medianBefore, row.spreadBefore)}, ${spread(row.medianAfter, row.spreadAfter)}`)],
    hasWarps && ["resident warps", (row) => resourceCell(row, "resident-warps")],
    ["registers", (row) => resourceCell(row, "registers")],
    ["static shared", (row) => resourceCell(row, "static-shared")],
    has("dynamic-shared") && ["dynamic shared", (row) => resourceCell(row, "dynamic-shared")],
    ["local per thread", (row) => resourceCell(row, "local")],
  ].filter(Boolean);
  let explained = "Registers are per thread, shared memory per block, in bytes, as the driver says of the first launch. " +
    "The spread is half the distance between the quartiles of the runs' medians, before and after.";
  if (hasWarps)
    explained += " Resident warps are those of an SM, computed with the toolkit's cuda_occupancy.h for the first launch.";
  return section("resources", "Resources",
    table('class="figures"', "What each kernel takes: before → after, or once where nothing changes",
      columns(shown.map(([heading]) => heading)),
      tableBody(kernels.rows.map((row) => html`<tr>${shown.map(([, cell]) => cell(row))}</tr>
`))),
    hint(explained), fullNames(kernels.rows));
}
