// What `bankstripe tune` tried (docs/guide/tune.md): a table of versions for each
// group of kernels that share arrays.
const TuningFigures = { "warps per SM": "warps", "registers per thread": "registers",
                        "local bytes per thread": "localBytes", "shared bytes per block": "sharedBytes" };

function attemptRow(attempt, best) {
  const isBest = attempt.name === best;
  const speedup = isNumber(attempt.speedup) ? attempt.speedup.toFixed(2) + "×" : "";
  const interval = attempt.speedupInterval?.map((bound) => bound.toFixed(3)).join(" to ");
  return html`<tr><th scope="row">${isBest ? html`<strong>* ${attempt.name}</strong>` : attempt.name}${
    hint(attempt.standing)}</th>${figure(speedup)}${figure(interval)}${
    Object.values(TuningFigures).map((field) => figure(attempt.resources.map((used) => used[field]).join(", ")))}</tr>
`;
}

function groupSection(group, number) {
  const paragraph = (text) => text && html`<p>${text}</p>
`;
  return section(`group-${number}`, group.titles.join(", "), paragraph(group.how),
    group.attempts.length ? table("figures tuning", "The versions that were measured, the best marked with *",
      ["version", "speedup", "95 % interval", ...Object.keys(TuningFigures)],
      html`<tbody>
${group.attempts.map((attempt) => attemptRow(attempt, group.best))}</tbody>`) : "", paragraph(group.conclusion));
}

function renderTuning({ tune, version }) {
  const missing = tune.notLaunched;
  return asHtml(html`<header><h1>bankstripe tune</h1></header>
<main>
<section aria-label="Summary"><p>${tune.summary}</p>
${tune.conclusion && html`<p>${tune.conclusion}</p>
`}</section>
${tune.groups.map(groupSection)}${missing.length ? section("not-launched", "Not measured",
    html`<p>The program does not launch these; give it other arguments.</p>
<ul>${missing.map((name) => html`<li>kernel ${name}</li>`)}</ul>
`) : ""}</main>
<footer>made by bankstripe ${version}</footer>
`);
}
