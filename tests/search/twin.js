// Runs the site's search script outside the site: a JSON task gives a JSON answer, in node and in a browser.
"use strict";

async function answered(task, run) {
  run(task.script);
  const search = globalThis.daybreakSearch;
  const load = async (path) => {
    loaded.add(path);
    if (!(path in task.files)) throw new Error("there is no " + path);
    run(task.files[path]);
  };
  const loaded = new Set();

  const flat = (groups) => groups.map((group) => group.map((one) => [one.tokens, one.start]));

  function parsed(text) {
    try {
      const { each, without, days, first, shown, also, span, idle, bare } = search.parse(text, task.known);
      return { span, idle, bare, each: flat(each), without: flat(without), days, first: first.map(flat), shown: flat([shown])[0], also };
    } catch (error) {
      if (!error.code) throw error;
      return { error: error.code, facts: Object.fromEntries(Object.entries(error.facts).map(([k, v]) => [k, String(v)])) };
    }
  }

  async function found(text) {
    try {
      const { found: hits, left, facets, suggestion, query } = await search.find(text, load, task.all);
      const rows = await search.rows(hits.slice(0, task.most), task.language, load);
      return { total: hits.length, left, facets, suggestion, also: query.also, hits: rows.map((row, at) => [row[0], row[1], hits[at].label, row[2], row[3], row[7]]) };
    } catch (error) {
      if (!error.code) throw error;
      return { error: error.code };
    }
  }

  const answer = {
    tokens: (task.texts || []).map((text) => search.runs(text).map((one) => [one.row, one.wholes, one.text])),
    parts: (task.texts || []).map((text) => search.runs(text).flatMap((one) => one.row.map((token) => search.partOf(token, 64)))),
    parsed: (task.queries || []).map(parsed),
    found: [],
  };
  for (const text of task.finds || []) answer.found.push(await found(text));
  answer.loaded = [...loaded].sort();
  return answer;
}

globalThis.answered = answered;
if (typeof require === "function") {
  const vm = require("node:vm");
  const task = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
  answered(task, (code) => vm.runInThisContext(code)).then((answer) => process.stdout.write(JSON.stringify(answer)));
}
