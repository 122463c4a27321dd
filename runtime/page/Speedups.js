// What was measured: a row per kernel, in a table of times and one of resources.
// Every figure stands in a table; bars only repeat it. What is better or worse
// is said in words as well as by colour.
// Speedups this near to 1 are called equal where no spread is known.
const AssumedNoise = 0.02;
const FewestRunsForInterval = 5;

function effectOf(kernel) {
  const speedup = kernel.speedup;
  if (!isNumber(speedup) || speedup <= 0)
    return "unknown";
  const [low, high] = kernel.speedupInterval ?? [speedup / (1 + AssumedNoise), speedup * (1 + AssumedNoise)];
  return low > 1 ? "faster" : high < 1 ? "slower" : "equal";
}

const timesRow = (of) => ({
  name: of.name, function: of.function ?? of.name, launches: of.launches, speedup: of.speedup, sure: of.speedupInterval,
  effect: effectOf(of), total: [of.originalNs, of.rewrittenNs],
});

// What changed the program most comes first, then what is equal, by its time.
function kernelRows(verify) {
  const rows = (verify.kernels ?? []).map((kernel) => ({
    ...timesRow(kernel), before: kernel.original, after: kernel.rewritten, sizes: (kernel.sizes ?? []).map(timesRow),
  }));
  const changed = ({ effect, total }) => (effect === "equal" ? 0 : Math.abs(total[0] - total[1]));
  return rows.sort((a, b) => changed(b) - changed(a) || b.total[0] - a.total[0] || (a.name < b.name ? -1 : 1));
}

// "13 faster, 5 equal, 1 slower"; nothing where none was timed.
function countEffects(rows) {
  const count = (effect) => rows.filter((row) => row.effect === effect).length;
  return rows.some((row) => row.effect !== "unknown") &&
    `${count("faster")} faster, ${count("equal")} equal, ${count("slower")} slower` +
    (count("unknown") ? `, ${count("unknown")} not timed` : "");
}

// A logarithmic axis of factors, with few powers of two on it of which 1 is one.
// place(factor) is in percent of the width; 4 are left free on both sides, for
// half a label.
function factorAxis(rows) {
  const logs = rows.flatMap((row) => [row.speedup, ...(row.sure ?? [])])
    .filter((factor) => isNumber(factor) && factor > 0).map(Math.log2);
  const least = Math.floor(Math.min(-1, ...logs)), most = Math.ceil(Math.max(1, ...logs));
  const step = Math.ceil((most - least) / 8);
  const low = step * Math.floor(least / step), high = step * Math.ceil(most / step);
  const ticks = [];
  for (let power = low; power <= high; power += step)
    ticks.push(power);
  const place = (factor) =>
    4 + 92 * (Math.min(Math.max(Math.log2(factor), low), high) - low) / (high - low);
  return { ticks, place };
}

const percent = (value) => value.toFixed(2) + "%";

function axisPlot({ ticks, place }) {
  return html`<svg class="axis" aria-hidden="true">${ticks.map((power) =>
    html`<text x="${percent(place(2 ** power))}" y="13">${power < 0 ? `1/${2 ** -power}` : 2 ** power}×</text>`)}</svg>`;
}

// A bar from 1 to the speedup, a dot at its end, and a line for the interval.
function speedupPlot(row, { ticks, place }) {
  const line = (kind, from, to, top, bottom) =>
    html`<line class="${kind}" x1="${percent(from)}" x2="${percent(to)}" y1="${top}" y2="${bottom}"/>`;
  const lines = ticks.map((power) => line(power ? "tick" : "one", place(2 ** power), place(2 ** power), -1, 31));
  const one = place(1), end = isNumber(row.speedup) ? place(row.speedup) : one;
  const bar = html`<rect x="${percent(Math.min(one, end))}" y="8" width="${percent(Math.abs(end - one))}" height="12"/>${
    row.sure ? line("sure", place(row.sure[0]), place(row.sure[1]), 14, 14) : ""
    }<circle cx="${percent(end)}" cy="14" r="5"/>`;
  return html`<svg class="bar ${row.effect}" aria-hidden="true">${lines}${isNumber(row.speedup) ? bar : ""}</svg>`;
}

const kernelHeading = (row) => html`<th scope="row" title="${row.name}"><code>${row.function}</code></th>`;

function effectText({ effect, total }) {
  const alone = isNumber(total[0]) ? "original only" : isNumber(total[1]) ? "rewritten only" : "not timed";
  const text = { faster: "▲ faster", slower: "▼ slower", equal: "= equal" }[effect] ?? alone;
  return html`<td><span class="${effect}">${text}</span></td>`;
}

const intervalText = (sure) => (sure ? sure.map(threeDigits).join(" to ") : "-");
const timesText = (times) => changeText(...times.map((time) => (time > 0 ? durationText(time) : "-")));

function speedupSection(rows) {
  if (!rows.length)
    return "";
  const all = rows.flatMap((row) => [row, ...row.sizes]);
  const axis = factorAxis(all);
  return section("speedup", "Speedup of each kernel",
    table("speedup",
      "Time of all launches of a run in the original over that in the rewritten program, on a logarithmic axis; what won " +
      "or lost the program most time comes first. Launches of several sizes stand beneath their kernel",
      ["kernel", html`<span class="ends"><span>◀ slower</span><span>faster ▶</span></span>${axisPlot(axis)}`, "speedup",
       "95 % interval", "result", "all launches of a run"],
      html`<tbody>
${all.map((row) => html`<tr>${kernelHeading(row)}<td class="plot">${speedupPlot(row, axis)}</td>${
    figure(html`<strong>${factorText(row.speedup)}</strong>`)}${figure(intervalText(row.sure))}${effectText(row)}${
    figure(timesText(row.total))}</tr>
`)}</tbody>`),
    hint(rows.some((row) => row.sure)
      ? "The line through a dot is the interval in which the speedup lies with a probability of 95 %; where it holds 1, " +
        "the kernel is called equal. "
      : `There are no intervals, which need --runs=${FewestRunsForInterval} or more; speedups within ${
        AssumedNoise * 100} % of 1 are called equal. `,
    "Times are those on the GPU alone, the medians over the timed runs. Copies, the host and the gaps between launches " +
    "are not in them."));
}

// The columns of resources, with the fields that they show.
const Resources = { "resident warps": "residentWarps", "registers": "registers", "static shared": "staticShared",
                    "dynamic shared": "dynamicShared", "local per thread": "local" };

function resourceSection(rows) {
  if (!rows.length)
    return "";
  const shown = Object.entries(Resources).filter(([, field]) =>
    rows.some((row) => row.before?.[field] || row.after?.[field]));
  const text = (of, field) => (isNumber(of?.[field]) ? countText(of[field]) : "-");
  return section("resources", "Resources",
    table("figures", "What each kernel takes: before → after, or once where nothing changes",
      ["kernel", "launches", ...shown.map(([heading]) => heading)],
      html`<tbody>
${rows.map((row) => html`<tr>${kernelHeading(row)}${figure(countText(row.launches))}${
  shown.map(([, field]) => figure(changeText(text(row.before, field), text(row.after, field))))}</tr>
`)}</tbody>`),
    hint("Registers are per thread, shared memory per block, in bytes, as the driver says of the first launch. Resident " +
      "warps are those of an SM, computed with the toolkit's cuda_occupancy.h for that launch."));
}
