// What the rewriter says: changed lines, arrays that move and that stay, and
// predictions beside what was measured.
const MostArrays = 200;

// The lines of a unified diff but the first two, which name the files.
function diffLines(unified) {
  const lines = [];
  let old = 0, now = 0, inHunk = false;
  for (const text of unified.replace(/\n$/, "").split("\n")) {
    const hunk = /^@@ -(\d+)\S* \+(\d+)/.exec(text);
    if (hunk) {
      inHunk = true;
      [old, now] = [Number(hunk[1]), Number(hunk[2])];
      lines.push({ kind: "@", text });
    } else if (inHunk) {
      const kind = text[0] ?? " ";
      lines.push({ kind, text, old: " -".includes(kind) ? old++ : "", now: " +".includes(kind) ? now++ : "" });
    }
  }
  return lines;
}

function diffLine(line) {
  if (line.kind === "@")
    return html`<span class="hunk">${line.text}
</span>`;
  const element = new Html({ "+": "ins", "-": "del" }[line.kind] ?? "span");
  const numbers = `${String(line.old).padStart(5)} ${String(line.now).padStart(5)}`;
  return html`<${element} data-n="${numbers}">${line.text}
</${element}>`;
}

function diffDetails(change) {
  const unified = change.diff ?? "";
  const lines = diffLines(unified);
  const count = (kind) => lines.filter((line) => line.kind === kind).length;
  // As the diff calls the file, which is shorter than its path.
  const name = /^--- .*\n\+\+\+ b\/(.*)/.exec(unified)?.[1] ?? change.file;
  return html`<details class="diff"><summary><code title="${change.file}">${name}</code> <span class="faster">+${
    count("+")}</span> <span class="slower">−${count("-")}</span></summary>
<pre tabindex="0">${lines.map(diffLine)}</pre>
</details>
`;
}

const placeText = (place) => `${place.file.slice(place.file.lastIndexOf("/") + 1)}:${place.line}`;

// "kernel.cu:12", with the whole path as a title.
function placeHtml(place) {
  return place?.line ? html`<code class="place" title="${place.file}">${placeText(place)}</code>` : "";
}

// Whether something is done about an array.
const changes = (array) => ["stripe", "slot", "split", "bits", "constant"].includes(array.verdict);

const ArrayColumns = ["array", "type", "index", "function", "declared at"];

function arrayCells(array) {
  return html`<th scope="row">${code(array.name)}</th><td>${code(array.type)}</td><td>${array.index}</td><td>${
    code(array.function)}</td><td>${placeHtml(array.place)}</td>`;
}

function leftOut(count) {
  return count > MostArrays ? html`<p class="hint">${countText(count - MostArrays)} more are left out here; ${
    ""}<code>bankstripe analyze</code> names them all.</p>
` : "";
}

function movedTable(moved) {
  if (!moved.length)
    return "";
  const rows = moved.slice(0, MostArrays).map((array) => html`<tr>${arrayCells(array)}<td>${
    [array.verdict, array.form, array.storage].filter(Boolean).join(", ")}</td>${
    figure(either(array.sharedBytes, countText))}<td>${array.message} ${code(array.reason)}</td></tr>
`);
  return [table('class="figures arrays"', "The arrays that are not in local memory any more",
                columns([...ArrayColumns, "becomes", "shared bytes per block", "why"]), tableBody(rows)),
          leftOut(moved.length)];
}

function changesSection(plan) {
  const moved = (plan.arrays ?? []).filter(changes), files = plan.changes ?? [];
  return section("changes", "What was rewritten",
    moved.length || files.length ? [files.map(diffDetails), movedTable(moved)] : html`<p>Nothing was rewritten.</p>
`);
}

// Where the reason is, if that is another place than the array's and the detail
// does not name it.
function placeOfReason(array) {
  const { reasonPlace: there, place: here } = array;
  const isElsewhere = there?.line && (there.line !== here?.line || there.file !== here?.file) &&
    !(array.detail ?? "").includes(placeText(there));
  return isElsewhere ? html`${array.detail ? ", at " : "at "}${placeHtml(there)}` : "";
}

// All arrays with one reason share the message and the advice.
function reasonGroup(group) {
  const { verdict, message, reason, advice } = group[0];
  return html`<tbody>
<tr class="group"><th scope="rowgroup" colspan="6"><div><span class="badge">${verdict}</span> ${message} ${
  code(reason)}${advice ? html`<br/><span class="advice">to change that: ${advice}</span>` : ""}</div></th></tr>
${group.map((array) => html`<tr>${arrayCells(array)}<td>${array.detail}${placeOfReason(array)}</td></tr>
`)}</tbody>
`;
}

function unchangedSection(plan) {
  const kept = (plan.arrays ?? []).filter((array) => !changes(array));
  if (!kept.length)
    return "";
  // What can be done something about comes first.
  const rank = ({ verdict }) => (verdict === "unchanged" ? 0 : verdict === "unsupported" ? 1 : 2);
  const groups = grouped(kept.slice(0, MostArrays), (array) => `${rank(array)} ${array.reason}`);
  return section("unchanged", "What was not rewritten, and why",
    table('class="arrays"', "Arrays that stay as they are, by the reason",
      columns([...ArrayColumns, "what stands against it"]),
      [...groups.keys()].sort().map((key) => reasonGroup(groups.get(key)))),
    leftOut(kept.length));
}

// The kernels with a prediction, in the order of the other tables; those that
// were not launched come last.
function predictions(plan, kernels) {
  const termsOf = (kernel) => kernel?.predicted?.explanation;
  const launched = kernels.measured.filter((row) => termsOf(row.planned)).sort((a, b) =>
    kernels.rows.indexOf(a) - kernels.rows.indexOf(b));
  const others = (plan.kernels ?? []).filter((k) => termsOf(k) && !launched.some((row) => row.planned === k));
  return [...launched.map((row) => ({ row, kernel: row.planned, terms: termsOf(row.planned), name: row.short })),
          ...others.map((kernel) => ({ kernel, terms: termsOf(kernel), name: plotName(kernel.name ?? "") }))];
}

const arraysOf = (state) => state?.arrays ?? [];
const movesAny = (terms) => arraysOf(terms.after).some((cost) => cost.moved);
const rangeText = ({ speedup, low, high }) => `${fixed(speedup, 2)} (${fixed(low, 2)} to ${fixed(high, 2)})`;

// A speedup of what was not done says nothing of what was predicted for it.
const measuredSpeedup = ({ row, terms }) => (terms.taken ? row?.speedup : null);

function judgement({ terms }, measured) {
  if (!terms.taken)
    return movesAny(terms) ? "not taken, so not measured" : "nothing was changed";
  if (!isNumber(measured))
    return "-";
  return measured < terms.low ? "slower than predicted" :
    measured > terms.high ? "faster than predicted" : "within the range";
}

function predictionRow(predicted) {
  const { terms, name } = predicted, measured = measuredSpeedup(predicted);
  return html`<tr><th scope="row"><code>${name}</code></th>${figure(rangeText(terms))}${
    figure(fixed(terms.resourceFactor, 2))}${figure(fixed(terms.accessFactor, 2))}${figure(factorText(measured))}<td>${judgement(predicted, measured)}</td></tr>
`;
}

// For which GPU the predictions were made, where it is for another architecture.
function fittedOn({ constantsFittedOn }) {
  return constantsFittedOn ? hint(`Predicted with constants fitted on an ${constantsFittedOn}.`) : "";
}

function termsSection(plan, kernels) {
  const found = predictions(plan, kernels);
  if (!found.length)
    return "";
  return section("terms", "What was predicted",
    table('class="figures predicted"',
      "The speedup that the plan rests on (its range), its two factors, and what was measured",
      columns(["kernel", "predicted", "resource factor", "access factor", "measured",
               "measured against predicted"]),
      tableBody(found.map(predictionRow))),
    fittedOn(plan));
}
