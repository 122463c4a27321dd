// What the scripts of a page make of its data, as HTML.
//
//     node render.js PAGE
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"use strict";

const fs = require("fs");
const vm = require("vm");

const page = fs.readFileSync(process.argv[2], "utf8");
const [data, script] = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((match) => match[1]);
const rendered = vm.runInNewContext(`${script}\nrenderPage(${JSON.stringify(JSON.parse(data))})`);
process.stdout.write(page.slice(0, page.indexOf("<noscript>")) + rendered + "</body>\n</html>\n");
