// What the scripts of the page do, function by function.
//
//     node --test script_test.js
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const test = require("node:test");
const vm = require("vm");

const scripts = ["Format", "Kernels", "Plan", "Page"]
  .map((name) => fs.readFileSync(path.join(__dirname, `../../../runtime/page/${name}.js`), "utf8")).join("");
const page = vm.runInThisContext(`${scripts}({ html, asHtml, bytesText, countText, cutText, diffLines, durationText,
  diffDetails, effectOf, factorAxis, factorText, judgement, kernelRows, plotName, renderPage, speedupPlot })`);

// A kernel that is launched twice, with the durations of one launch in ms.
function kernel(name, before, after, more = {}) {
  return { "name": name, "function": name, "unchanged-library": "", "launches": 2, "speedup": before / after,
           "original-median-ns": before * 1e6, "rewritten-median-ns": after * 1e6,
           "original-total-ns": 2 * before * 1e6, "rewritten-total-ns": 2 * after * 1e6,
           "speedup-interval": [0.98 * before / after, 1.03 * before / after],
           "original": { registers: 40, local: 64 }, "rewritten": { registers: 38, local: 0 }, ...more };
}

function verification(more = {}) {
  return { "verdict": "identical", "verdict-text": "identical: 4 launches\n", "device": "Some GPU", "launches": 4,
           "compared-launches": 4, "kernels": [], ...more };
}

const rendered = (verify, plan) => page.renderPage({ verify: verification(verify), plan });
const shorts = (...kernels) => page.kernelRows({ kernels }).rows.map((row) => row.short);

test("whatever was said is text", () => {
  const evil = "<script>alert(\"1\")</script> & 'x' \x01";
  assert.equal(page.asHtml(page.html`<p title="${evil}">${[evil, page.html`<b/>`]}</p>`),
    "<p title=\"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; \ufffd\">" +
    "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; \ufffd<b/></p>");
  const text = rendered({ "reservations": [evil], "device": evil, "verdict-text": evil, "original-command": evil,
                          "kernels": [kernel(evil, 2, 1)] });
  assert.ok(!text.includes("<script"));
});

test("figures", () => {
  assert.equal(page.countText(1234567), "1,234,567");
  assert.equal(page.countText(999), "999");
  assert.equal(page.durationText(null), "-");
  assert.equal(page.durationText(1.5e6), "1.50 ms");
  assert.equal(page.durationText(999.6e3), "1.00 ms");
  assert.equal(page.bytesText(1), "1 byte");
  assert.equal(page.bytesText(1536), "1.50 KiB");
  assert.equal(page.bytesText(3 * 2 ** 30), "3 GiB");
  assert.equal(page.factorText(31.24), "31.2×");
});

test("names for plots", () => {
  assert.equal(page.plotName("sort<float, 25>"), "sort<float, 25>");
  assert.equal(page.plotName("cub::DeviceRadixSort<(cub::Policy)4, (1 > 0), unsigned int, cub::NullType>::run<int>"),
    "cub::DeviceRadixSort<…>::run<…>");
  assert.equal(page.plotName("cub::CUB_200700_NS::detail::radix::(anonymous namespace)::" +
    "DeviceRadixSortOnesweepKernel<int>"), "…::DeviceRadixSortOnesweepKernel<…>");
  assert.match(page.plotName("a".repeat(80) + "äend"), /^a{21}…a{18}äend$/);
});

test("what changes the program most comes first, then what is equal, by its time", () => {
  assert.deepEqual(shorts(kernel("same", 9, 9), kernel("loses", 1, 4), kernel("long", 90, 90.5), kernel("wins", 6, 1)),
    ["wins", "loses", "long", "same"]);
});

test("equal kernels of a library are one line", () => {
  const of = (library) => ({ "unchanged-library": library });
  const { rows, equal } = page.kernelRows({ kernels: [
    kernel("cub::a", 1, 1, of("cub")), kernel("mine", 1, 2), kernel("cub::b", 3, 3, of("cub")),
    kernel("thrust::c", 1, 1, of("thrust"))] });
  assert.deepEqual(rows.map((row) => row.short), ["mine", "2 equal kernels of cub", "thrust::c"]);
  assert.equal(rows[1].totalBefore, 8e6);
  assert.equal(rows[1].launches, 4);
  assert.equal(equal, 3);
});

test("names that are the same when shortened are numbered", () => {
  const long = "x".repeat(200);
  assert.deepEqual(shorts(kernel(`f<${long}1>`, 4, 1), kernel(`f<${long}2>`, 3, 1)), ["f<…> #1", "f<…> #2"]);
});

test("a planned kernel is found by its mangled name or the name in the source", () => {
  const plan = { kernels: [{ canonicalName: "sort(int*)" }, { name: "scan" }, { name: "sort" }] };
  const found = (name, source) => page.kernelRows(
    { kernels: [kernel(name, 2, 1, { function: source })] }, plan).rows[0].planned;
  assert.equal(found("sort(int*)", "sort"), plan.kernels[0]);
  assert.equal(found("void scan(int*)", "scan"), plan.kernels[1]);
  assert.equal(found("other(int*)", "other"), undefined);
});

test("resident warps are those of the launches", () => {
  const seen = kernel("f", 2, 1, { original: { "resident-warps": 64 }, rewritten: { "resident-warps": 24 } });
  assert.match(rendered({ kernels: [seen] }), /64 → 24/);
  assert.doesNotMatch(rendered({ kernels: [kernel("f", 2, 1)] }), /resident warps/);
});

test("an interval that holds 1 is equal", () => {
  const effect = (speedup, interval) => page.effectOf({ speedup, "speedup-interval": interval });
  assert.equal(effect(1.3, [0.9, 1.8]), "equal");
  assert.equal(effect(1.01, [1.005, 1.02]), "faster");
  assert.equal(effect(0.9, [0.8, 0.95]), "slower");
  assert.equal(effect(1.01, null), "equal");
  assert.equal(effect(null, null), "unknown");
});

test("the axis holds 1 and all intervals", () => {
  const { ticks, place } = page.factorAxis([{ speedup: 62.5 }, { speedup: 0.9, sure: [0.3, 1.1] }]);
  assert.deepEqual([ticks[0], ticks[ticks.length - 1]], [0.2, 100]);
  assert.ok(place(0.3) < place(1) && place(62.5) < 100);
  assert.equal(place(1e9), place(100));
});

test("a wide axis has few labels", () => {
  const { ticks } = page.factorAxis([{ speedup: 3000 }, { speedup: 0.003 }]);
  assert.ok(ticks.includes(1) && ticks.length <= 9);
});

test("most time is won by a kernel that is faster, not by one within the noise", () => {
  const text = rendered({ kernels: [kernel("steady", 1005, 1000), kernel("quick", 2, 1)] });
  assert.match(text, /Most time won.*2\.00 ms.*quick, 2\.00×/);
  assert.doesNotMatch(text, /Most time lost/);
});

test("what an equal kernel seems to win is left out", () => {
  assert.match(rendered({ kernels: [kernel("steady", 1005, 1000)] }), /= equal<\/span><\/td><td[^>]*>-</);
});

test("a kernel of one program alone, and one that was not timed", () => {
  const none = { "original-median-ns": null, "original-total-ns": 0, "speedup": null, "speedup-interval": null };
  const alone = rendered({ kernels: [kernel("added", 1, 2, none)] });
  assert.match(alone, /rewritten only/);
  assert.doesNotMatch(alone, /0\.00 µs/);
  const untimed = rendered({ kernels: [kernel("graph", 1, 1,
    { ...none, "rewritten-median-ns": null, "rewritten-total-ns": 0 })] });
  assert.match(untimed, /not timed/);
  assert.doesNotMatch(untimed, /Time of the whole program|NaN/);
});

test("the lines of one reservation stay together", () => {
  assert.match(rendered({ reservations: ["note: within\n  by less\n"] }), /<li>within<br\/>by less<\/li>/);
});

test("output that was not compared is not called the same", () => {
  assert.doesNotMatch(rendered({ output: null }), /the same</);
  assert.match(rendered({ output: { bytes: 3, identical: true, deterministic: true } }), /3 bytes, the same</);
});

test("a plan without arrays and changes", () => {
  assert.match(rendered({}, {}), /Nothing was rewritten/);
});

test("lines of a diff have their numbers", () => {
  const text = page.asHtml(page.diffDetails({ file: "/x/y.cu", diff:
    "--- a/y.cu\n+++ b/y.cu\n@@ -7,2 +7,2 @@\n int i;\n-a[i] = \"ä\";\n+at(a, i) = \"ö\";\n" }));
  assert.match(text, /<code title="\/x\/y.cu">y.cu<\/code>.*\+1<.*−1</);
  assert.match(text, /<span data-n=" {4}7 {5}7"> int i;/);
  assert.match(text, /<del data-n=" {4}8 {6}">-a\[i\] = &quot;ä&quot;;/);
  assert.match(text, /<ins data-n=" {10}8">\+at\(a, i\) = &quot;ö&quot;;/);
});

test("predictions with the constants of another architecture say whose they are", () => {
  const kernels = [{ name: "f", predicted: { explanation: {} } }];
  const withPlan = (plan) => rendered({}, { ...plan, kernels });
  assert.match(withPlan({ constantsFittedOn: "NVIDIA H200 (sm_90)" }), /Predicted with constants fitted on an NVIDIA H200 \(sm_90\)\./);
  assert.doesNotMatch(withPlan({}), /fitted on/);
});

test("a measurement is held against the range of its prediction", () => {
  const of = (taken, measured) => page.judgement({ terms: { taken, low: 2, high: 4 } }, measured);
  assert.equal(of(true, 1.9), "slower than predicted");
  assert.equal(of(true, 3), "within the range");
  assert.equal(of(true, 4.1), "faster than predicted");
  assert.equal(of(true, null), "-");
  assert.equal(of(false, 3), "nothing was changed");
});
