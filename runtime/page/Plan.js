// What the rewriter says: changed lines, and the arrays with the reasons for what
// becomes of them.
const MostArrays = 200;

function diffLine(line) {
  const element = new Html({ "+": "ins", "-": "del" }[line[0]] ?? "span");
  return html`<${element}${line.startsWith("@@") ? new Html(' class="hunk"') : ""}>${line}
</${element}>`;
}

function diffDetails(change) {
  // The first two lines name the file, as a rule shorter than its path.
  const [from, to, ...lines] = (change.diff ?? "").replace(/\n$/, "").split("\n");
  const count = (kind) => lines.filter((line) => line[0] === kind).length;
  return html`<details class="diff" open="open"><summary><code title="${change.file}">${
    to?.replace(/^\+\+\+ b\//, "") ?? change.file}</code> <span class="faster">+${
    count("+")}</span> <span class="slower">−${count("-")}</span></summary>
<pre tabindex="0">${lines.map(diffLine)}</pre>
</details>
`;
}

function changesSection(plan) {
  const files = plan.changes ?? [];
  return section("changes", "What was rewritten",
    files.length ? files.map(diffDetails) : html`<p>Nothing was rewritten.</p>
`);
}

const placeText = (place) => `${place.file.slice(place.file.lastIndexOf("/") + 1)}:${place.line}`;

// "kernel.cu:12", with the whole path as a title.
function placeHtml(place) {
  return place?.line ? html`<code class="place" title="${place.file}">${placeText(place)}</code>` : "";
}

// Where the reason is, if that is another place than the array's and the detail
// does not name it.
function placeOfReason(array) {
  const { reasonPlace: there, place: here } = array;
  const isElsewhere = there?.line && (there.line !== here?.line || there.file !== here?.file) &&
    !(array.detail ?? "").includes(placeText(there));
  return isElsewhere && html`at ${placeHtml(there)}`;
}

// What an array becomes, or what stands against that.
function arrayRow(array) {
  const becomes = [array.form, array.storage, array.sharedBytes &&
    `${countText(array.sharedBytes)} bytes of shared memory per block`].filter(Boolean).join(", ");
  const texts = [isMoved(array) && becomes, array.detail, placeOfReason(array)].filter(Boolean);
  return html`<tr><th scope="row">${code(array.name)}</th><td>${code(array.type)}</td><td>${array.index}</td><td>${
    code(array.function)}</td><td>${placeHtml(array.place)}</td><td>${
    texts.map((text, i) => [i ? ", " : "", text])}</td></tr>
`;
}

const isMoved = ({ verdict }) => ["stripe", "slot", "split", "bits", "constant"].includes(verdict);

// All arrays with one reason share the message and the advice.
function reasonGroup(group) {
  const { verdict, message, reason, advice } = group[0];
  return html`<tbody>
<tr class="group"><th scope="rowgroup" colspan="6"><div><span class="badge">${verdict}</span> ${message} ${
  code(reason)}${advice ? html`<br/><span class="advice">to change that: ${advice}</span>` : ""}</div></th></tr>
${group.map(arrayRow)}</tbody>
`;
}

// What moves comes first, then what could, then what something stands against.
function arraysSection(plan) {
  const arrays = plan.arrays ?? [];
  if (!arrays.length)
    return "";
  const rank = (array) => (isMoved(array) ? 0 : { unchanged: 1, unsupported: 2 }[array.verdict] ?? 3);
  const groups = grouped(arrays.slice(0, MostArrays), (array) => `${rank(array)} ${array.verdict} ${array.reason}`);
  return section("arrays", "The per-thread arrays, and why",
    table("arrays", `${arrays.filter(isMoved).length} of ${arrays.length} are not in local memory any more`,
      ["array", "type", "index", "function", "declared at", "what becomes of it, or stands against it"],
      [...groups.keys()].sort().map((key) => reasonGroup(groups.get(key)))),
    arrays.length > MostArrays ? hint(countText(arrays.length - MostArrays),
      html` more are left out here; <code>bankstripe analyze</code> names them all.`) : "");
}
