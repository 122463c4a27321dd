// The frame of the page and what comes first on it: the verdict in the words of
// the text form, what it rests on, and the figures that sum everything up. The
// data are what bankstripe-verify found (JSON.md), and what the rewriter said
// (docs/json.md) if that is known.
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
  const [first, ...details] = splitLines(verify["verdict-text"]);
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

// The kernel at which the program wins, or loses, the most.
function extremeCard(kernels, label, effect, sign) {
  const row = kernels.rows.find((r) => r.effect === effect && r.won * sign > 0);
  return row && [label, durationText(Math.abs(row.won)), `${row.short}, ${factorText(row.speedup)}`];
}

function cards(kernels, plan) {
  const { faster, equal, slower, notTimed } = kernels;
  const all = [
    kernels.speedup && ["Time of all kernels", factorText(kernels.speedup),
      `${durationText(kernels.totalBefore)} → ${durationText(kernels.totalAfter)} per run`],
    faster + equal + slower && ["Kernels", `${faster} faster`,
      `${equal} equal, ${slower} slower${notTimed ? `, ${notTimed} not timed` : ""}`],
    extremeCard(kernels, "Most time won", "faster", 1),
    extremeCard(kernels, "Most time lost", "slower", -1),
    kernels.rows.length && ["Local memory per thread", changeText(...kernels.mostLocal.map(countText)),
      "bytes, of the kernel that takes most"],
    plan && ["Per-thread arrays rewritten",
      `${(plan.arrays ?? []).filter(changes).length} of ${(plan.arrays ?? []).length}`,
      `in ${pluralText((plan.changes ?? []).length, "file")}`],
  ].filter(Boolean);
  return all.length ? html`<dl class="cards">
${all.map(([label, text, about]) => html`<div class="card"><dt>${label}</dt><dd><strong>${text}</strong><span>${
  about}</span></dd></div>
`)}</dl>
` : "";
}

function comparedText(verify) {
  const isPartial = verify["undigested-launches"] || Object.keys(verify.skipped ?? {}).length;
  const random = verify["not-deterministic"]?.length;
  return `${countText(verify["compared-launches"])} of ${pluralText(verify.launches, "launch")} compared` +
    (isPartial ? `, their memory right after ${countText(verify["digested-launches"])} of them` : "") +
    (verify["differing-launches"] ? `, ${countText(verify["differing-launches"])} differ` : "") +
    (random ? `, ${countText(random)} not deterministic` : "");
}

function outputText({ output }) {
  return output && bytesText(output.bytes) + (!output.deterministic ? ", not the same in all runs of the original" :
    output.identical ? ", the same" : ", differs");
}

function factsSection(verify, time) {
  const { launches, device, capability } = verify;
  const facts = factList([
    ["original", verify["original-command"]],
    ["rewritten", verify["rewritten-command"]],
    ["device", device && `${device} (compute capability ${capability})`],
    ["compared runs", launches &&
      `${verify.repeats} of the original, to know what it reproduces itself, and one of the rewritten program`],
    ["launches", launches && comparedText(verify)],
    ["memory", launches &&
      `${pluralText(verify.allocations, "allocation")}, ${pluralText(verify.variables, "__device__ variable")}`],
    ["output", outputText(verify)],
    ["timed runs", launches && (verify.runs ? `${countText(verify.runs)} of each program, in turns` : "none")],
    ["made on", time],
  ]);
  return facts && section("runs", "What was run", facts);
}

// The contents of the page: a link to each section that it has.
function navigation(body) {
  const names = { runs: "Runs", speedup: "Speedup", time: "Time", resources: "Resources", changes: "Rewritten",
                  unchanged: "Not rewritten", terms: "Predicted" };
  const links = Object.entries(names).filter(([id]) => asHtml(body).includes(`<section id="${id}"`));
  return links.length ? html`<nav aria-label="Contents">
${links.map(([id, name]) => html`<a href="#${id}">${name}</a>
`)}</nav>
` : "";
}

function renderPage({ verify, plan, time, version }) {
  const kernels = kernelRows(verify, plan);
  const body = [
    cards(kernels, plan), factsSection(verify, time), speedupSection(kernels),
    timeSection(kernels, verify["all-launches"]), resourceSection(kernels),
    plan ? [changesSection(plan), unchangedSection(plan), termsSection(plan, kernels)] : "",
  ];
  return asHtml(html`<header><h1>bankstripe verify</h1>
${navigation(body)}</header>
<main>
${verdictSection(verify)}${body}</main>
<footer>made by bankstripe-verify ${version}</footer>
`);
}

function openForPrinting() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened)
      details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened)
      details.open = false;
  });
}

// Tests have no document.
if (typeof document !== "undefined") {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.title = `${Looks[data.verify.verdict].word} - bankstripe verify`;
  document.body.insertAdjacentHTML("beforeend", renderPage(data));
  openForPrinting();
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
