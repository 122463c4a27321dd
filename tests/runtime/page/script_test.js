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

const scripts = ["Format", "Speedups", "Plan", "Tuning", "Page"]
  .map((name) => fs.readFileSync(path.join(__dirname, `../../../runtime/page/${name}.js`), "utf8")).join("");
const page = vm.runInThisContext(`${scripts}({ html, asHtml, countText, diffDetails, durationText, effectOf,
  factorAxis, factorText, kernelRows, renderPage })`);

// A kernel that is launched twice, with the durations of one launch in ms.
function kernel(name, before, after, more = {}) {
  return { "name": name, "function": name, "launches": 2, "speedup": before / after,
           "originalNs": 2 * before * 1e6, "rewrittenNs": 2 * after * 1e6,
           "speedupInterval": [0.98 * before / after, 1.03 * before / after],
           "original": { registers: 40, local: 64 }, "rewritten": { registers: 38, local: 0 }, ...more };
}

function verification(more = {}) {
  return { "verdict": "identical", "verdictText": "identical: 4 launches\n", "device": "Some GPU", "launches": 4,
           "comparedLaunches": 4, "kernels": [], ...more };
}

const rendered = (verify, plan) => page.renderPage({ verify: verification(verify), plan });
const names = (...kernels) => page.kernelRows({ kernels }).map((row) => row.name);

test("whatever was said is text", () => {
  const evil = "<script>alert(\"1\")</script> & 'x' \x01";
  assert.equal(page.asHtml(page.html`<p title="${evil}">${[evil, page.html`<b/>`]}</p>`),
    "<p title=\"&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; \ufffd\">" +
    "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;x&#39; \ufffd<b/></p>");
  const text = rendered({ "reservations": [evil], "device": evil, "verdictText": evil, "originalCommand": evil,
                          "kernels": [kernel(evil, 2, 1)] });
  assert.ok(!text.includes("<script"));
});

test("figures", () => {
  assert.equal(page.countText(1234567), "1,234,567");
  assert.equal(page.countText(999), "999");
  assert.equal(page.durationText(null), "-");
  assert.equal(page.durationText(1.5e6), "1.50 ms");
  assert.equal(page.durationText(999.6e3), "1.00 ms");
  assert.equal(page.factorText(31.24), "31.2×");
});

test("what changes the program most comes first, then what is equal, by its time", () => {
  assert.deepEqual(names(kernel("same", 9, 9), kernel("loses", 1, 4), kernel("long", 90, 90.5), kernel("wins", 6, 1)),
    ["wins", "loses", "long", "same"]);
});

test("resident warps are those of the launches", () => {
  const seen = kernel("f", 2, 1, { original: { "residentWarps": 64 }, rewritten: { "residentWarps": 24 } });
  assert.match(rendered({ kernels: [seen] }), /64 → 24/);
  assert.doesNotMatch(rendered({ kernels: [kernel("f", 2, 1)] }), /resident warps/);
});

test("an interval that holds 1 is equal", () => {
  const effect = (speedup, interval) => page.effectOf({ speedup, "speedupInterval": interval });
  assert.equal(effect(1.3, [0.9, 1.8]), "equal");
  assert.equal(effect(1.01, [1.005, 1.02]), "faster");
  assert.equal(effect(0.9, [0.8, 0.95]), "slower");
  assert.equal(effect(1.01, null), "equal");
  assert.equal(effect(null, null), "unknown");
});

test("the axis holds 1 and all intervals", () => {
  const { ticks, place } = page.factorAxis([{ speedup: 62.5 }, { speedup: 0.9, sure: [0.3, 1.1] }]);
  assert.deepEqual(ticks, [-2, -1, 0, 1, 2, 3, 4, 5, 6]);
  assert.ok(place(0.3) < place(1) && place(62.5) < 100);
  assert.equal(place(1e9), place(64));
  assert.deepEqual(page.factorAxis([{ speedup: null }]).ticks, [-1, 0, 1]);
});

test("a wide axis has few labels", () => {
  const { ticks } = page.factorAxis([{ speedup: 3000 }, { speedup: 0.003 }]);
  assert.ok(ticks.includes(0) && ticks.length <= 9);
});

test("the time of all kernels, and how many are faster", () => {
  const total = { "originalNs": 6e6, "rewrittenNs": 3e6, "speedup": 2, "speedupInterval": [1.9, 2.1] };
  const text = rendered({ kernels: [kernel("a", 2, 1), kernel("b", 1, 1)], "allLaunches": total });
  assert.match(text, /6\.00 ms → 3\.00 ms, speedup 2\.00× \(1\.90 to 2\.10\)/);
  assert.match(text, /1 faster, 1 equal, 0 slower</);
});

test("launches of several sizes stand beneath their kernel", () => {
  const text = rendered({ kernels: [kernel("a", 2, 1, { sizes: [kernel("<<<7, 64>>>, 3.00 ms each", 1, 4)] })] });
  assert.match(text, /<code>a<[^]*2\.00×[^]*<code>&lt;&lt;&lt;7, 64&gt;&gt;&gt;[^]*0\.25×[^]*▼ slower/);
  assert.match(text, /1 faster, 0 equal, 0 slower</);
});

test("a kernel of one program alone, and one that was not timed", () => {
  const none = { "originalNs": null, "speedup": null, "speedupInterval": null };
  const alone = rendered({ kernels: [kernel("added", 1, 2, none)] });
  assert.match(alone, /rewritten only/);
  assert.doesNotMatch(alone, /0\.00 µs/);
  const untimed = rendered({ kernels: [kernel("graph", 1, 1,
    { ...none, "rewrittenNs": null })] });
  assert.match(untimed, /not timed/);
  assert.doesNotMatch(untimed, /faster,|NaN/);
});

test("the lines of one reservation stay together", () => {
  assert.match(rendered({ reservations: ["note: within\n  by less\n"] }), /<li>within<br\/>by less<\/li>/);
});

test("output that was not compared is not called the same", () => {
  assert.doesNotMatch(rendered({ output: null }), /the same</);
  assert.match(rendered({ output: { bytes: 3, identical: true, deterministic: true } }), /3 bytes, the same</);
});

test("links lead to the sections that there are", () => {
  const links = (text) => [...text.matchAll(/href="#(\w+)"/g)].map((match) => match[1]);
  assert.deepEqual(links(rendered({ originalCommand: "./a" })), ["verdict", "runs"]);
  const text = rendered({ kernels: [kernel("a", 2, 1)] }, {});
  assert.deepEqual(links(text), ["verdict", "runs", "speedup", "resources", "changes"]);
  assert.ok(links(text).every((id) => text.includes(`<section id="${id}"`)));
});

test("what becomes of an array, and where the reason is", () => {
  const moved = { name: "a", verdict: "slot", storage: "static", sharedBytes: 1024, detail: "f",
                  place: { file: "/a.cu", line: 1 }, reasonPlace: { file: "/a.cu", line: 7 } };
  assert.match(rendered({}, { arrays: [moved] }),
    /<td>static, 1,024 bytes of shared memory per block, f, at <code[^>]*>a.cu:7<\/code><\/td>/);
});

test("an interval has as many digits as the speedup", () => {
  assert.match(rendered({ kernels: [kernel("a", 50, 2, { speedupInterval: [24.513, 25.52] })] }), />24\.5 to 25\.5</);
});

test("a plan without arrays and changes", () => {
  assert.match(rendered({}, {}), /Nothing was rewritten/);
});

test("lines of a diff", () => {
  const text = page.asHtml(page.diffDetails({ file: "/x/y.cu", diff:
    "--- a/y.cu\n+++ b/y.cu\n@@ -7,2 +7,2 @@\n int i;\n-a[i] = \"ä\";\n+at(a, i) = \"ö\";\n" }));
  assert.match(text, /<code title="\/x\/y.cu">y.cu<\/code>.*\+1<.*−1</);
  assert.match(text, /<span class="hunk">@@ -7,2 \+7,2 @@\n<\/span><span> int i;/);
  assert.match(text, /<del>-a\[i\] = &quot;ä&quot;;/);
  assert.match(text, /<ins>\+at\(a, i\) = &quot;ö&quot;;/);
});

test("the page of a tuning marks the best and escapes names", () => {
  const version = { name: "stripes", speedup: 2, speedupInterval: [1.98, 2.04], standing: "the best",
                    resources: [{ warps: 48, registers: 40, localBytes: 0, sharedBytes: 400 }] };
  const text = page.renderPage({ version: "1", tune: { summary: "tuned on <GPU & more>", conclusion: "",
    notLaunched: ["other<int>"], groups: [{ titles: ["kernel count at a.cu:3"], how: "", conclusion: "", best: "stripes",
      attempts: [{ ...version, name: "as it is", speedup: null, speedupInterval: null, standing: "wrong" }, version] }] } });
  assert.match(text, /tuned on &lt;GPU &amp; more&gt;/);
  assert.match(text, /<li>kernel other&lt;int&gt;<\/li>/);
  assert.match(text, /<strong>\* stripes<\/strong>.*the best/);
  assert.match(text, />2\.00×<.*>1\.980 to 2\.040<.*>48<.*>40<.*>0<.*>400</s);
  assert.match(text, /as it is.*wrong/);
});
