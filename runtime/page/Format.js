// Texts and figures. What programs, compilers and sources say gets onto the page
// through html`...` alone, which escapes it.
class Html {
  constructor(text) {
    this.text = text;
  }
}

const Escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\r": "&#13;" };

// Characters that nobody can see, or that XML cannot hold, become U+FFFD.
function escaped(text) {
  return text
    .replace(/[&<>"'\r]/g, (c) => Escaped[c])
    .replace(/[\0-\x08\v\f\x0e-\x1f\x7f-\x9f\ufffe\uffff]/g, "\ufffd");
}

function asHtml(value) {
  if (value instanceof Html)
    return value.text;
  return Array.isArray(value) ? value.map(asHtml).join("") : escaped(String(value ?? ""));
}

function html(pieces, ...values) {
  return new Html(String.raw({ raw: pieces }, ...values.map(asHtml)));
}

const code = (text) => (text ? html`<code>${text}</code>` : "");

// "1,234,567"
const countText = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

// "1 launch", "2 launches"
function pluralText(count, one) {
  return `${countText(count)} ${one}${count === 1 ? "" : one.endsWith("h") ? "es" : "s"}`;
}

const isNumber = (value) => typeof value === "number" && isFinite(value);

// Three digits that count, no more.
function threeDigits(value) {
  const size = Math.abs(value);
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

// "12.3 µs", of nanoseconds; "-" for none.
function durationText(nanoseconds) {
  if (!isNumber(nanoseconds))
    return "-";
  const size = Math.abs(nanoseconds);
  if (size < 999.5e3)
    return threeDigits(nanoseconds / 1e3) + " µs";
  return size < 999.5e6 ? threeDigits(nanoseconds / 1e6) + " ms" : threeDigits(nanoseconds / 1e9) + " s";
}

// "3.15×"; "-" for none.
const factorText = (factor) => (isNumber(factor) ? threeDigits(factor) + "×" : "-");

// "before → after", once where both are the same.
const changeText = (before, after) => (before === after ? before : `${before} → ${after}`);

// The items in lists, by what key() says of each.
function grouped(items, key) {
  const groups = new Map();
  for (const item of items)
    groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

function section(id, heading, ...body) {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${heading}</h2>
${body}</section>
`;
}

const figure = (text) => html`<td class="figure">${text}</td>`;

// A table that scrolls by itself where the window is too narrow for it.
function table(kind, caption, headings, body) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${kind}">
<caption>${caption}</caption>
<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
${body}
</table></div>
`;
}

// A list of terms and texts that leaves out what is not known.
function factList(facts) {
  const known = facts.filter(([, text]) => text);
  return known.length ? html`<dl class="facts">
${known.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>
`)}</dl>
` : "";
}

const hint = (...text) => html`<p class="hint">${text}</p>
`;
