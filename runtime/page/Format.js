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

// At most so many characters, the last of them an ellipsis if there are more.
function cutText(text, most) {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, most - 1).join("") + "…";
}

// Each outermost list of template arguments as <…>. Shifts and comparisons
// stand in parentheses there, so brackets are brackets.
function withoutTemplateArguments(name) {
  let result = "";
  let depth = 0, parentheses = 0;
  for (const c of name) {
    if (depth > 0)
      parentheses += c === "(" ? 1 : c === ")" ? -1 : 0;
    if (c === "<" && parentheses === 0 && depth++ === 0)
      result += "<…";
    if (c === ">" && parentheses === 0 && depth > 0)
      --depth;
    if (depth === 0)
      result += c;
  }
  return result;
}

const LongestPlotName = 44;
const fits = (name) => [...name].length <= LongestPlotName;

// A kernel's name for a plot: without template arguments, then without its first
// namespaces, then with its middle left out, as far as needed.
function plotName(name) {
  if (!fits(name))
    name = withoutTemplateArguments(name);
  for (let at = name.indexOf("::"), whole = name; !fits(name) && at >= 0; at = whole.indexOf("::", at + 2))
    if (fits("…" + whole.slice(at)))
      name = "…" + whole.slice(at);
  if (fits(name))
    return name;
  // The end of a qualified name says more than its namespaces.
  const characters = [...name], kept = (LongestPlotName - 1) >> 1;
  return characters.slice(0, kept).join("") + "…" + characters.slice(kept + 1 - LongestPlotName).join("");
}

// "1,234,567"
const countText = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

// "1 launch", "2 launches"
function pluralText(count, one) {
  return `${countText(count)} ${one}${count === 1 ? "" : one.endsWith("h") ? "es" : "s"}`;
}

const isNumber = (value) => typeof value === "number" && isFinite(value);
const fixed = (value, digits) => (isNumber(value) ? value.toFixed(digits) : "-");

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

// "96 bytes", "1.50 MiB"
function bytesText(bytes) {
  if (bytes < 1024)
    return pluralText(bytes, "byte");
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = bytes / 1024, unit = 0;
  for (; value >= 1024 && unit + 1 < units.length; ++unit)
    value /= 1024;
  return `${Number.isInteger(value) ? value : threeDigits(value)} ${units[unit]}`;
}

// "3.15×"; "-" for none.
const factorText = (factor) => (isNumber(factor) ? threeDigits(factor) + "×" : "-");

// "before → after", once where both are the same.
const changeText = (before, after) => (before === after ? before : `${before} → ${after}`);

// "12.3 ms won", "1.20 ms lost"
function wonText(nanoseconds) {
  if (nanoseconds === 0)
    return "no difference";
  return durationText(Math.abs(nanoseconds)) + (nanoseconds > 0 ? " won" : " lost");
}

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

// A table that scrolls by itself where the window is too narrow for it.
function table(attributes, caption, ...rows) {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table ${new Html(attributes)}>
<caption><span>${caption}</span></caption>
${rows}
</table></div>
`;
}

function columns(headings) {
  return html`<thead><tr>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
`;
}

const tableBody = (rows) => html`<tbody>
${rows}</tbody>`;

const figure = (text) => html`<td class="figure">${text}</td>`;

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
