// Search on the static site: the twin of daybreak/search (tokens.py, query.py, shards.py), held together by tests.
// All that is shown goes through textContent: nothing of a query or of a report becomes markup.
(() => {
  "use strict";
  const LONGEST = 48, LONGEST_WORD = 160, SHORTEST_START = 3, PIECE = 256;
  const MOST_CHARACTERS = 400, MOST_TERMS = 24, MOST_TOKENS = 32, LAST_DAY = 2 ** 20 - 1;
  const RECENT = 12;
  const HAN = "\\u3005\\u3007\\u3041-\\u3096\\u30a1-\\u30fa\\u30fc-\\u30fe\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff" +
    "\\uac00-\\ud7a3\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const LETTER = "0-9A-Za-z\\u00aa\\u00b5\\u00ba\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02af\\u0300-\\u036f\\u0370-\\u0373" +
    "\\u0376\\u0377\\u037b-\\u037d\\u037f\\u0386\\u0388-\\u03ff\\u0400-\\u0481\\u048a-\\u052f\\u0531-\\u0556\\u0561-\\u0587" +
    "\\u05d0-\\u05ea\\u0620-\\u064a\\u066e-\\u06d3\\u0900-\\u0dff\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u1e00-\\u1fff";
  const SCAN = new RegExp(`([${HAN}]+)|(#[0-9]{1,9})(?![0-9A-Za-z])|([${LETTER}]+(?:(?:[_\\-./]|::)+[${LETTER}]+)*)`, "gu");
  const JOINED = /(?:[_\-./]|::)+/, OUTER = /(?:[./]|::)+/;
  const PART = /[A-Z0-9]+(?![a-z0-9])|[A-Z]?[^A-Z]+|[A-Z]/g;
  const SHA = /^[0-9a-f]{7,40}$/;

  // --- tokens ---------------------------------------------------------------------------------------------------

  function normal(text) {
    if (/^[\x00-\x7f]*$/.test(text)) return text;
    const signs = Array.from(text), pieces = [];
    for (let at = 0; at < signs.length; at += PIECE) pieces.push(signs.slice(at, at + PIECE).join("").normalize("NFKC"));
    return pieces.join("");
  }

  const lower = (text) => text.toLowerCase().replaceAll("ς", "σ");

  function cut(word) {
    const asRead = lower(word), row = [], wholes = [];
    const add = (one) => { if (!wholes.includes(one)) wholes.push(one); };
    for (const atom of word.split(JOINED)) {
      const parts = atom.match(PART) || [];
      for (const part of parts) row.push(lower(part).slice(0, LONGEST));
      if (parts.length > 1) add("~" + lower(atom).slice(0, LONGEST));
    }
    if (wholes.length && word.length <= LONGEST_WORD)
      for (const piece of [...asRead.split(OUTER), asRead]) if (JOINED.test(piece)) add("~" + piece.replaceAll("-", "_"));
    return { row, wholes, text: asRead };
  }

  function runs(text) {
    const found = [];
    for (const match of normal(text).matchAll(SCAN)) {
      const [all, han, number, word] = match, place = { start: match.index, end: match.index + all.length };
      if (word) found.push({ ...cut(word), ...place });
      else if (number) found.push({ row: [number.slice(1)], wholes: ["~" + number], text: number, ...place });
      else {
        const signs = Array.from(han), row = [];
        for (let at = 0; at < Math.max(1, signs.length - 1); at += 1) row.push(signs.slice(at, at + 2).join(""));
        found.push({ row, wholes: [], text: "", ...place });
      }
    }
    return found;
  }

  const atoms = (word) => word.split(JOINED).map((atom) => lower(atom).slice(0, LONGEST));

  function name(text) {
    const found = runs(Array.from(text).slice(0, LONGEST_WORD).join("")).map((run) => run.text || run.row.join(""));
    return found.join(".").replaceAll("-", "_").slice(0, LONGEST_WORD);
  }

  function authorMarks(author) {
    const found = [];
    const all = runs(author);
    for (const token of [...all.flatMap((run) => run.row), ...all.flatMap((run) => run.wholes)]) {
      const mark = "@" + token.replace(/^~+/, "");
      if (!found.includes(mark)) found.push(mark);
    }
    return found;
  }

  const repoMark = (repo) => Array.from(lower(repo), (sign) => (/[0-9a-zA-Z_./-]/.test(sign) ? sign : "+")).join("").slice(0, 160);

  // --- queries --------------------------------------------------------------------------------------------------

  const FILTERS = ["repo", "kind", "level", "importance", "breaking", "since", "until", "author", "in", "is"];
  const EITHER = ["repo", "kind", "level", "in"];
  const PLACES = ["change", "issue", "pull", "release"];
  const CHOICES = {
    kind: ["feature", "fix", "perf", "refactor", "revert", "docs", "test", "ci", "build", "dependency", "security", "other",
      "regression", "accuracy", "bug", "question", "install", "performance", "rfc"],
    level: ["high", "medium", "low"],
    breaking: ["yes", "no"],
    in: PLACES,
    is: ["breaking", "late", "released", "skipped", "open", "closed", "merged", "draft", "coming", "opened", "reopened"],
  };
  const TERM = /(-(?!-))?(?:([A-Za-z]{2,12}):(?!:|\/\/))?(?:"([^"]*)("?)|([^ \t\r\n\f\v"]+))?/y;
  const ENDS = /^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$/g;

  class QueryError extends Error {
    constructor(code, facts) { super(code); this.code = code; this.facts = facts || {}; }
  }

  const phrase = (tokens, start) => ({ tokens, start: Boolean(start) });

  function parse(text, repos) {
    if (Array.from(text).length > MOST_CHARACTERS) throw new QueryError("long", { most: MOST_CHARACTERS });
    const query = { each: [], either: new Map(), without: [], named: [], shown: [], days: [0, LAST_DAY], dated: false };
    const source = normal(text).replace(/[\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d]/g, '"');
    let at = 0, terms = 0;
    while (at < source.length) {
      TERM.lastIndex = at;
      const found = TERM.exec(source);
      if (!found || !found[0]) { at += 1; continue; }
      at += found[0].length;
      terms += 1;
      if (terms > MOST_TERMS) throw new QueryError("many", { most: MOST_TERMS });
      term(query, repos, ...found.slice(1));
    }
    const each = [...query.each, ...query.either.values()];
    if (!each.length) {
      if (!query.without.length && !query.dated) throw new QueryError("empty");
      each.push(PLACES.map((place) => phrase(["!in:" + place])));
    }
    return { each, without: query.without, days: query.days, named: query.named, shown: query.shown };
  }

  function term(query, repos, minus, key, quoted, close, word) {
    if (quoted !== undefined && !close) throw new QueryError("quote");
    if (key !== undefined) {
      const known = filterOf(key.toLowerCase());
      if (known) {
        filtered(query, repos, known, (quoted !== undefined ? quoted : word || "").replace(ENDS, ""), Boolean(minus));
        return;
      }
      word = key + ":" + (word || "");
    }
    if (word) oneWord(query, word, Boolean(minus));
    if (quoted !== undefined) add(query, asPhrase(runs(quoted)), Boolean(minus));
  }

  function oneWord(query, word, minus) {
    const found = runs(word);
    const start = word.endsWith("*") && found.length === 1 && found[0].row.at(-1).length >= SHORTEST_START;
    add(query, alternatives(found, start), minus);
    if (minus || found.length !== 1 || !found[0].text) return;
    query.named.push(phrase(["=" + name(word)]));
    if (SHA.test(found[0].text)) query.named.push(phrase(["=" + found[0].text], true));
  }

  function add(query, some, minus) {
    if (!some.length) return;
    if (some.some((one) => one.tokens.length > MOST_TOKENS)) throw new QueryError("phrase", { most: MOST_TOKENS });
    if (minus) query.without.push(some);
    else { query.each.push(some); query.shown.push(...some); }
  }

  function asPhrase(found) {
    const row = found.flatMap((run) => run.row);
    return row.length ? [phrase(row)] : [];
  }

  function alternatives(found, start) {
    if (found.length !== 1 || !found[0].text) return asPhrase(found);
    const run = found[0];
    if (run.text.startsWith("#")) return [phrase(["~" + run.text])];
    const sha = SHA.test(run.text), apart = atoms(run.text);
    const some = [phrase(run.row, start || sha), phrase(["~" + run.text.replaceAll("-", "_").slice(0, 160)], start)];
    if (apart.join("\n") !== run.row.join("\n")) some.push(phrase(apart, start));
    if (sha) some.push(phrase(["=" + run.text], true));
    if (/^[0-9]+$/.test(run.text)) some.push(phrase(["~#" + run.text]));
    return some;
  }

  function filterOf(key) {
    if (FILTERS.includes(key)) return key === "importance" ? "level" : key;
    const close = key.length > 2 ? near(key, FILTERS.filter((one) => one.length > 2)) : null;
    if (close) throw new QueryError("filter", { key, near: close });
    return null;
  }

  function filtered(query, repos, key, value, minus) {
    if (!value) throw new QueryError("value", { key });
    if (key === "since" || key === "until") return dated(query, key, value, minus);
    if (key === "author") {
      const marks = authorMarks(value);
      if (!minus) query.each.push(...marks.map((mark) => [phrase([mark])]));
      else if (marks.length) query.without.push([phrase([marks.length === 1 ? marks[0] : "@=" + name(value)])]);
      return undefined;
    }
    const tokens = valuesOf(repos, key, lower(value)).map((one) => phrase([`!${key}:${one}`]));
    if (minus) query.without.push(tokens);
    else if (EITHER.includes(key)) query.either.set(key, [...(query.either.get(key) || []), ...tokens]);
    else query.each.push(tokens);
    return undefined;
  }

  function valuesOf(repos, key, value) {
    if (key === "repo") {
      const found = repos.filter((repo) => lower(repo).includes(value)).map(repoMark);
      if (!found.length) throw new QueryError("repo", { value });
      return found;
    }
    if (key === "breaking") value = { true: "yes", 1: "yes", false: "no", 0: "no" }[value] || value;
    const choices = CHOICES[key];
    if (choices.includes(value)) return [value];
    if (key === "kind" && (value.includes("_") || value === "deprecated")) return [name(value) || "-"];
    const close = near(value, choices);
    if (close) throw new QueryError("near", { key, value, near: close });
    throw new QueryError("choice", { key, value, choices: choices.join(", ") });
  }

  function dated(query, key, value, minus) {
    const number = minus ? null : dayOf(value, key === "until");
    if (number === null) throw new QueryError("date", { key, value });
    query.dated = true;
    if (key === "since") query.days[0] = Math.max(query.days[0], number);
    else query.days[1] = Math.min(query.days[1], number);
  }

  function dayOf(value, last) {
    const found = /^([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?$/.exec(value);
    if (!found) return null;
    const year = Number(found[1]), month = found[2] ? Number(found[2]) : last ? 12 : 1;
    if (year < 1 || month < 1 || month > 12) return null;
    if (found[3] !== undefined) return dayNumber(year, month, Number(found[3]));
    if (!last) return dayNumber(year, month, 1);
    const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1);
    return next === null ? null : next - 1;
  }

  function dayNumber(year, month, day) {
    const moment = new Date(0);
    moment.setUTCFullYear(year, month - 1, day);
    const number = moment.getTime() / 86400000;
    const real = moment.getUTCMonth() === month - 1 && moment.getUTCDate() === day && year <= 9999;
    return real && number >= 0 && number <= LAST_DAY ? number : null;
  }

  function near(word, choices) {
    word = Array.from(word).slice(0, 24).join("");
    let best = null;
    for (const choice of [...choices].sort()) {
      const apart = distance(word, choice);
      if (!best || apart < best[0]) best = [apart, choice];
    }
    return best[0] <= (word.length < 6 ? 1 : 2) ? best[1] : null;
  }

  function distance(a, b) {
    let before = Array.from({ length: b.length + 1 }, (_, at) => at);
    for (let row = 1; row <= a.length; row += 1) {
      const now = [row];
      for (let at = 1; at <= b.length; at += 1)
        now.push(Math.min(now[at - 1] + 1, before[at] + 1, before[at - 1] + (a[row - 1] !== b[at - 1] ? 1 : 0)));
      before = now;
    }
    return before[b.length];
  }

  // --- the index ------------------------------------------------------------------------------------------------

  const held = { index: null, months: new Map(), parts: new Map(), days: new Map() };
  const receive = {
    index: (value) => { held.index = value; },
    month: (month, days) => { held.months.set(month, days); },
    part: (month, part, tokens) => { held.parts.set(month + "/" + part, tokens); },
    day: (label, language, rows) => { held.days.set(label + "." + language, rows); },
  };

  function partOf(token, parts) {
    let number = 0x811c9dc5;
    for (const sign of Array.from(token.replace(/^[~=@!]+/, "")).slice(0, SHORTEST_START))
      number = Math.imul(number ^ sign.codePointAt(0), 0x01000193) >>> 0;
    return ((number ^ (number >>> 15)) >>> 0) % parts;
  }

  function needed(query, parts) {
    const found = new Set();
    for (const group of [...query.each, ...query.without, query.named])
      for (const one of group) for (const token of one.tokens) found.add(partOf(token, parts));
    return [...found];
  }

  function postings(text) {
    const found = new Map();
    let doc = -1;
    for (const piece of text.split(";")) {
      const [step, places] = piece.split(":");
      doc += parseInt(step, 36);
      let place = 0;
      found.set(doc, places ? places.split(",").map((one) => (place += parseInt(one, 36))) : []);
    }
    return found;
  }

  function looker(month, parts) {
    const read = new Map();
    const inPart = (token) => held.parts.get(month + "/" + partOf(token, parts)) || {};
    const one = (token) => {
      if (!read.has(token)) {
        const tokens = inPart(token);
        read.set(token, Object.hasOwn(tokens, token) ? postings(tokens[token]) : new Map());
      }
      return read.get(token);
    };
    const beginning = (start) => {
      const all = new Map();
      for (const token of Object.keys(inPart(start))) {
        if (!token.startsWith(start)) continue;
        for (const [doc, places] of one(token)) all.set(doc, [...(all.get(doc) || []), ...places]);
      }
      return all;
    };
    return (phraseOf) => {
      const last = phraseOf.tokens.length - 1;
      const lists = phraseOf.tokens.map((token, at) => (at === last && phraseOf.start ? beginning(token) : one(token)));
      if (!last) return [...lists[0].keys()];
      const found = [];
      for (const [doc, places] of lists[0]) {
        let here = places;
        for (let at = 1; at <= last && here.length; at += 1) {
          const next = new Set(lists[at].get(doc) || []);
          here = here.filter((place) => next.has(place + at));
        }
        if (here.length) found.push(doc);
      }
      return found;
    };
  }

  function inMonth(query, month, parts) {
    const documents = [];
    for (const [label, grades] of held.months.get(month)) {
      const [year, number, day] = label.split("-").map(Number);
      const at = dayNumber(year, number, day);
      for (let seq = 0; seq < grades.length; seq += 1)
        documents.push({ label, seq, at, rank: (Number(grades[seq]) * 2 ** 20 + at) * 2 ** 24 + seq });
    }
    const look = looker(month, parts);
    const any = (group) => {
      const flags = new Uint8Array(documents.length);
      for (const one of group) for (const doc of look(one)) flags[doc] = 1;
      return flags;
    };
    const kept = new Uint8Array(documents.length).fill(1);
    for (const group of query.each) any(group).forEach((flag, doc) => { kept[doc] &= flag; });
    for (const group of query.without) any(group).forEach((flag, doc) => { if (flag) kept[doc] = 0; });
    const named = any(query.named);
    return documents
      .filter((one, doc) => {
        one.named = named[doc];
        return kept[doc] && one.at >= query.days[0] && one.at <= query.days[1];
      });
  }

  // Months that a query may find something in; without dates in it only the newest ones, unless all are asked for.
  function monthsFor(query, all) {
    const first = (month) => dayOf(month, false), last = (month) => dayOf(month, true);
    const may = held.index.months.filter(([month]) => last(month) >= query.days[0] && first(month) <= query.days[1]);
    const dated = query.days[0] > 0 || query.days[1] < LAST_DAY;
    return all || dated ? may : may.slice(0, RECENT);
  }

  async function find(text, load, all) {
    if (!held.index) await load("index.js", "");
    const query = parse(text, held.index.repos);
    const months = monthsFor(query, all);
    await Promise.all(months.flatMap(([month, parts, digest]) => {
      const files = held.months.has(month) ? [] : [month + "/days.js"];
      for (const part of needed(query, parts))
        if (!held.parts.has(month + "/" + part)) files.push(`${month}/${part.toString(16).padStart(2, "0")}.js`);
      return files.map((file) => load(file, digest));
    }));
    const found = months.flatMap(([month, parts]) => inMonth(query, month, parts));
    found.sort((a, b) => b.named - a.named || b.rank - a.rank);
    return { query, found, left: held.index.months.length - months.length, dated: monthsFor(query, true).length === months.length };
  }

  async function rows(found, language, load) {
    const labels = [...new Set(found.map((one) => one.label))].filter((label) => !held.days.has(label + "." + language));
    await Promise.all(labels.map((label) => load(`days/${label}.${language}.js`, digestOf(label))));
    return found.map((one) => held.days.get(one.label + "." + language)[one.seq]);
  }

  const digestOf = (label) => (held.index.months.find(([month]) => month === label.slice(0, 7)) || ["", 0, ""])[2];

  globalThis.daybreakSearch = Object.freeze({ ...receive, normal, lower, runs, parse, find, rows, partOf, name });
})();
