// The frame of the page and what comes first on it: the verdict in the words of
// the text form, and what it rests on. The data are what bankstripe-verify found
// and, if that is known, what the rewriter said (docs/reference/json.md).
// How a verdict looks: never by its colour alone.
const Looks = {
  "identical": { kind: "good", sign: "✓", word: "Identical" },
  "differs": { kind: "bad", sign: "✗", word: "Differs" },
  "not-verified": { kind: "unsure", sign: "?", word: "Not verified" },
};

// "identical: 4 launches" without what the heading says already.
const withoutWord = (line) => line.replace(/^(identical|differs|not verified|note): /, "");
const splitLines = (text) => (text ?? "").replace(/\n$/, "").split("\n");
const unindented = (line) => line.replace(/^ {2}/, "");

function verdictSection(verify) {
  const look = Looks[verify.verdict];
  const [first, ...details] = splitLines(verify.verdictText);
  const items = (verify.reservations ?? []).map((text) => html`<li>${splitLines(text).map((line, i) =>
    (i ? html`<br/>${unindented(line)}` : withoutWord(line)))}</li>
`);
  return html`<section id="verdict" class="verdict ${look.kind}" aria-label="Verdict">
<h2 class="label">Verdict</h2>
<p class="word"><span class="sign" aria-hidden="true">${look.sign}</span> ${look.word}</p>
<p>${withoutWord(first)}</p>
${details.length ? html`<pre class="difference" tabindex="0">${details.map((line) => unindented(line) + "\n")}</pre>
` : ""}${items.length ? html`<h3>Reservations and notes</h3>
<ul>
${items}</ul>
` : ""}</section>
`;
}

function comparedText(verify) {
  const isPartial = verify.undigestedLaunches || Object.keys(verify.skipped ?? {}).length;
  const random = verify.notDeterministic?.length;
  return `${countText(verify.comparedLaunches)} of ${pluralText(verify.launches, "launch")} compared` +
    (isPartial ? `, their memory right after ${countText(verify.digestedLaunches)} of them` : "") +
    (verify.differingLaunches ? `, ${countText(verify.differingLaunches)} differ` : "") +
    (random ? `, ${countText(random)} not deterministic` : "");
}

function outputText({ output }) {
  return output && pluralText(output.bytes, "byte") + (!output.deterministic ?
    ", not the same in all runs of the original" : output.identical ? ", the same" : ", differs");
}

function totalText(total) {
  return isNumber(total?.speedup) && `${timesText([total.originalNs, total.rewrittenNs])}, ` +
    `speedup ${factorText(total.speedup)} (${intervalText(total.speedupInterval)})`;
}

function factsSection(verify, rows, time) {
  const { launches, device, capability } = verify;
  const facts = factList([
    ["all kernels of a run", totalText(verify.allLaunches)],
    ["kernels", countEffects(rows)],
    ["original", verify.originalCommand],
    ["rewritten", verify.rewrittenCommand],
    ["device", device && `${device} (compute capability ${capability})`],
    ["compared runs", launches &&
      (verify.repeats === 1
        ? "one of each program, which agree"
        : `${verify.repeats} of the original, to know what it reproduces itself, and one of the rewritten program`)],
    ["launches", launches && comparedText(verify)],
    ["memory", launches &&
      `${pluralText(verify.allocations, "allocation")}, ${pluralText(verify.variables, "__device__ variable")}`],
    ["output", outputText(verify)],
    ["timed runs", launches && (verify.runs ? `${countText(verify.runs)} of each program, in turns` : "none")],
    ["made on", time],
  ]);
  return facts && section("runs", "What was run", facts);
}

function renderVerification({ verify, plan, time, version }) {
  const rows = kernelRows(verify);
  const sections = [
    ["verdict", "Verdict", verdictSection(verify)], ["runs", "Runs", factsSection(verify, rows, time)],
    ["speedup", "Speedup", speedupSection(rows)], ["resources", "Resources", resourceSection(rows)],
    ["changes", "Changes", plan && changesSection(plan)], ["arrays", "Arrays", plan && arraysSection(plan)],
  ].filter(([, , body]) => body);
  return asHtml(html`<header><h1>bankstripe verify</h1>
<nav aria-label="Sections">${sections.map(([id, name]) => html`<a href="#${id}">${name}</a> `)}</nav></header>
<main>
${sections.map(([, , body]) => body)}</main>
<footer>made by bankstripe-verify ${version}</footer>
`);
}

const renderPage = (data) => (data.tune ? renderTuning(data) : renderVerification(data));

// Tests have no document.
if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.title = data.tune ? "bankstripe tune" : `${Looks[data.verify.verdict].word} - bankstripe verify`;
  document.body.insertAdjacentHTML("beforeend", renderPage(data));
}
