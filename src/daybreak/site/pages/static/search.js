// Search on the static site: the twin of daybreak/site/search (tokens.py, query.py, spelling.py, shards.py), held together by tests.
// All that is shown goes through textContent: nothing of a query or of a report becomes markup.
(() => {
  "use strict";
  const LONGEST = 48, LONGEST_WORD = 160, SHORTEST_START = 3, PIECE = 256;
  const MOST_CHARACTERS = 400, MOST_TERMS = 24, MOST_TOKENS = 32, MOST_GROUPS = 64, MOST_WORDS = 8, MOST_PARTS = 5, LAST_DAY = 2 ** 20 - 1;
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

  // --- tokens ---

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
        found.push({ row, wholes: [], text: "", han, ...place });
      }
    }
    return found;
  }

  const atoms = (word) => word.split(JOINED).map((atom) => lower(atom).slice(0, LONGEST));

  function name(text) {
    const found = runs(Array.from(text).slice(0, LONGEST_WORD).join("")).map((run) => run.text || run.row.join(""));
    return found.join(".").replaceAll("-", "_").slice(0, LONGEST_WORD);
  }

  function namesOf(symbol) {
    const whole = name(symbol);
    return [whole, whole.split(OUTER).at(-1)].filter(Boolean);
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

  // --- queries ---

  const FILTERS = ["repo", "kind", "level", "importance", "breaking", "since", "until", "month", "author", "in", "is", "tag"];
  const EITHER = ["repo", "kind", "level", "in", "tag"];
  const PLACES = ["change", "issue", "pull", "release"];
  const CHOICES = {
    kind: ["feature", "fix", "perf", "refactor", "revert", "docs", "test", "ci", "build", "dependency", "security", "other",
      "regression", "accuracy", "bug", "question", "install", "performance", "rfc"],
    level: ["high", "medium", "low"],
    breaking: ["yes", "no"],
    in: PLACES,
    is: ["breaking", "late", "released", "skipped", "open", "closed", "merged", "draft", "coming", "opened", "reopened"],
    tag: ["security", "breaks", "announced", "corrupts", "crash", "default", "rejects", "release", "fork", "build", "deprecates", "fix"],
  };
  const TERM = /(-(?!-))?(?:([A-Za-z]{2,12}):(?!:|\/\/))?(?:"([^"]*)("?)|([^ \t\r\n\f\v"]+))?/y;
  const ENDS = /^[ \t\r\n\f\v]+|[ \t\r\n\f\v]+$/g;

  class QueryError extends Error {
    constructor(code, facts) { super(code); this.code = code; this.facts = facts || {}; }
  }

  // Before a name: it is gone, does otherwise by itself, is refused or asked for in another way, will go.
  const EFFECTS = ["=!", "=@", "==", "=^"];

  const phrase = (tokens, start) => ({ tokens, start: Boolean(start) });

  const many = () => new QueryError("many", { most: MOST_TERMS });

  // `known`: repos, kinds of findings, Chinese terms, how days are named and words that only ask, as the index has them.
  function parse(text, known) {
    if (Array.from(text).length > MOST_CHARACTERS) throw new QueryError("long", { most: MOST_CHARACTERS });
    const spoken = withoutDays(normal(text).replace(/[\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d]/g, '"'), known), source = spoken.text;
    const query = { known, clauses: [], without: [], shown: [], also: [], days: [0, LAST_DAY], dated: false, or: false, idle: [], bare: [], span: [] };
    const words = source.split(/\s+/u), asks = spoken.days || words.some((word) => known.asking.includes(lower(word)));
    query.idleWords = new Set(words.includes("OR") ? [] : asks ? [...known.asking, ...known.changes] : known.asking);
    let at = 0, terms = 0;
    while (at < source.length) {
      TERM.lastIndex = at;
      const found = TERM.exec(source);
      if (!found || !found[0]) { at += 1; continue; }
      at += found[0].length;
      terms += 1;
      if (terms > MOST_TERMS) throw many();
      query.bare.push(found[0]);
      term(query, ...found.slice(1));
    }
    if (query.or) throw new QueryError("or");
    sideBySide(query.clauses);
    if (!query.clauses.length && !query.dated && !spoken.days && query.idle.length) {
      for (const word of query.idle.splice(0)) add(query, clause([alternatives(runs(word), false)]), false); // nothing else was written
    }
    if (spoken.days) {
      query.span = [spoken.said, ...spoken.days.map(labelOf)];
      query.days = [Math.max(query.days[0], spoken.days[0]), Math.min(query.days[1], spoken.days[1])];
      query.dated = true;
    }
    return gathered(query);
  }

  function gathered(query) {
    const either = new Map(), each = [];
    for (const { key, each: some } of query.clauses) {
      if (key) either.set(key, [...(either.get(key) || []), ...some[0]]);
      else each.push(...some);
    }
    each.push(...either.values());
    if (each.length > MOST_GROUPS) throw many();
    if (!each.length) {
      if (!query.without.length && !query.dated) throw new QueryError("empty");
      each.push(PLACES.map((place) => phrase(["!in:" + place])));
    }
    const names = [...new Set(query.clauses.flatMap((one) => one.names))];
    const happened = names.length ? EFFECTS.map((effect) => [names.map((one) => phrase([effect + one]))]) : [];
    const named = query.clauses.flatMap((one) => one.named), titled = query.clauses.flatMap((one) => one.titled);
    const read = query.clauses.flatMap((one) => one.read);
    const breaking = titled.length ? [...titled, [phrase(["!breaking:yes"])]] : [];
    const first = [...happened, named.length ? [named] : [], breaking, titled, read.length ? [read] : []].filter((groups) => groups.length);
    const idle = [...new Set(query.idle)], bare = query.bare.filter((word) => !idle.includes(word)).join(" ");
    return { each, without: query.without, days: query.days, first, names, shown: query.shown, also: query.also, span: query.span, idle, bare };
  }

  // --- days as people say them: spoken.py has the tables and says what they mean ---

  function withoutDays(text, known) {
    const pieces = text.split('"');
    for (let place = 0; known.newest && place < pieces.length; place += 2) {
      for (const [pattern, unit, step] of known.spans) {
        const found = new RegExp(pattern, "iu").exec(pieces[place]);
        const days = found && spanOfWords(unit, step, found.slice(1), dayOf(known.newest, false));
        if (!days || days.includes(null)) continue;
        pieces[place] = `${pieces[place].slice(0, found.index)} ${pieces[place].slice(found.index + found[0].length)}`;
        return { text: pieces.join('"'), days, said: found[0].trim() };
      }
    }
    return { text, days: null, said: "" };
  }

  const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
  const WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const labelOf = (day) => new Date(day * 86400000).toISOString().slice(0, 10);
  const weekdayOf = (day) => (day + 3) % 7;
  const monthOf = (year, month) => { const name = `${month ? year : year - 1}-${String(month || 12).padStart(2, "0")}`; return [dayOf(name, false), dayOf(name, true)]; };

  const numberOf = (said) => (/^[0-9]+$/.test(said) ? Number(said) : [...said].reduce((sum, one) => sum + "一二三四五六七八九十".indexOf(one) + 1, 0));

  function spanOfWords(unit, step, parts, newest) {
    const [year, month] = labelOf(newest).split("-").map(Number);
    if (unit === "date" || unit === "named") {
      const [of, number, day] = unit === "named" ? [undefined, MONTHS.indexOf(parts[0].toLowerCase()) + 1, parts[1]] : parts;
      const which = numberOf(String(number)), in_ = of ? Number(of) : year - (which > month ? 1 : 0);
      if (which < 1 || which > 12) return null;
      const one = day ? dayNumber(in_, which, Number(day)) : null;
      return day ? [one, one] : monthOf(in_, which);
    }
    if (unit === "weekday") {
      const name = parts[1].toLowerCase(), at = WEEK.indexOf(name) < 0 ? Math.min("一二三四五六日天".indexOf(name), 6) : WEEK.indexOf(name);
      const day = parts[0] === "上" ? newest + 1 - weekdayOf(newest + 1) - 7 + at : newest - (weekdayOf(newest) - at + 7) % 7;
      return [day, day];
    }
    if (unit === "last") {
      const many = parts[0] === "两" ? 2 : numberOf(parts[0]);
      const each = { 周: 7, 星期: 7, week: 7, 月: 30, month: 30 }[parts[1].toLowerCase()] || 1;
      return [newest - Math.max(1, many) * each + 1, newest];
    }
    if (unit === "day") return [newest + step, newest + step];
    const base = step ? newest + 1 : newest;
    if (unit === "week") { const monday = base - weekdayOf(base) + 7 * step; return [monday, monday + 6]; }
    const [ofYear, ofMonth] = labelOf(base).split("-").map(Number);
    return monthOf(ofYear, ofMonth + step);
  }

  function term(query, minus, key, quoted, close, word) {
    if (quoted !== undefined && !close) throw new QueryError("quote");
    if (word === "OR" && !minus && key === undefined) {
      if (query.or || !query.clauses.length) throw new QueryError("or");
      query.or = true;
      return;
    }
    const value = (quoted !== undefined ? quoted : word || "").replace(ENDS, "");
    if (key !== undefined) {
      const known = filterOf(key.toLowerCase(), value);
      if (known) {
        filtered(query, known, value, Boolean(minus));
        return;
      }
      word = key + ":" + value;
      quoted = undefined;
    }
    if (word) oneWord(query, word, Boolean(minus));
    if (quoted !== undefined) add(query, clause([asPhrase(runs(quoted))]), Boolean(minus));
  }

  function oneWord(query, word, minus) {
    if (!minus && query.idleWords.has(lower(word.replace(/[?!.,]+$/, "")))) { query.idle.push(word); return; }
    const found = runs(word), also = [], left = [];
    const start = word.endsWith("*") && found.length === 1 && found[0].row.at(-1).length >= SHORTEST_START;
    let groups = translated(query.known, found, start, minus, also, left);
    if (!groups.length && !minus) { query.idle.push(word); return; }
    if (!minus) query.idle.push(...left);
    if (minus && groups.length !== 1) groups = [alternatives(found, start)];
    const made = clause(groups);
    if (!minus && found.length === 1 && found[0].text) {
      if (!/^[0-9#]/.test(word)) made.names.push(name(word));
      made.named.push(phrase(["=" + name(word)]));
      made.plain = start || !/^[A-Za-z0-9]+$/.test(word) ? "" : name(word);
      if (SHA.test(found[0].text)) made.named.push(phrase(["=" + found[0].text], true));
      made.read.push(...made.each[0].filter((one) => one.tokens[0].startsWith("=~")));
    }
    add(query, made, minus);
    if (!minus) for (const text of also) if (!query.also.includes(text)) query.also.push(text);
  }

  // Words side by side may be a name: `max model len` is asked for as `max_model_len`, too.
  function sideBySide(clauses) {
    clauses.forEach((first, at) => {
      const after = clauses.slice(at, at + MOST_PARTS), stop = after.findIndex((one) => !one.plain);
      const some = stop < 0 ? after : after.slice(0, stop);
      for (let end = 2; end <= some.length; end += 1) {
        const whole = some.slice(0, end).map((one) => one.plain).join("_"), ways = [phrase(["~" + whole]), phrase(["=~" + whole])];
        first.names.push(whole);
        first.named.push(phrase(["=" + whole]));
        first.read.push(ways[1]);
        for (const one of some.slice(0, end)) one.each[0] = [...one.each[0], ...ways];
      }
    });
  }

  function clause(groups) {
    const each = groups.filter((group) => group.length);
    return { each, titled: each.map(titledOf), named: [], names: [], read: [], key: "", plain: "" };
  }

  function titledOf(group) {
    const plain = group.filter((one) => !/^[~=!]/.test(one.tokens[0]));
    return (plain.length ? plain : group).map((one) => phrase(one.tokens.map((token) => "^" + token), one.start));
  }

  // Of a term of the index: its phrases side by side, then groups of its words wherever they stand.
  function translated(known, found, start, minus, also, left) {
    const whole = alternatives(found, start), groups = [];
    let any = false, told = false;
    for (const run of found) {
      if (run.text) {
        const group = [...whole, ...alternatives([run], false)];
        if (Object.hasOwn(known.terms, run.text)) {
          any = told = true;
          also.push(...known.texts[run.text]);
          group.push(...known.terms[run.text][0].map(([tokens, begins]) => phrase(tokens, begins)));
        }
        groups.push(group);
        continue;
      }
      for (const [text, isTerm] of segments(known.terms, run.han)) {
        if (isTerm) {
          any = true;
          const [side, ...apart] = known.terms[text], own = asPhrase(runs(text));
          if (!side.length) continue;
          told = true;
          also.push(...known.texts[text]);
          for (const some of minus ? [side] : apart) groups.push([...whole, ...own, ...some.map(([tokens, begins]) => phrase(tokens, begins))]);
        } else if (Array.from(text).length > 1) left.push(text);
      }
    }
    if (!told) for (const text of left.splice(0)) groups.push([...whole, ...asPhrase(runs(text))]);
    return any ? groups.map(unlike) : [whole];
  }

  function unlike(group) {
    const seen = new Set();
    return group.filter((one) => {
      const key = one.tokens.join("\n") + one.start;
      return !seen.has(key) && seen.add(key);
    });
  }

  function segments(terms, text) {
    const longest = Math.max(0, ...Object.keys(terms).map((one) => Array.from(one).length));
    const signs = Array.from(text), found = [];
    for (let at = 0; at < signs.length; ) {
      let end = Math.min(signs.length, at + longest);
      while (end > at && !Object.hasOwn(terms, signs.slice(at, end).join(""))) end -= 1;
      const last = found.at(-1);
      if (end > at) found.push([signs.slice(at, end).join(""), true]);
      else if (last && !last[1]) last[0] += signs[at];
      else found.push([signs[at], false]);
      at = Math.max(end, at + 1);
    }
    return found;
  }

  function add(query, made, minus) {
    if (!made.each.length) return;
    if (made.each.some((group) => group.some((one) => one.tokens.length > MOST_TOKENS))) throw new QueryError("phrase", { most: MOST_TOKENS });
    if (minus) { leftOut(query, made.each[0]); return; }
    query.shown.push(...made.each.flat().filter((one) => one.tokens[0][0] !== "!"));
    joined(query, made);
  }

  function leftOut(query, some) {
    if (query.or) throw new QueryError("or");
    query.without.push(some);
  }

  function joined(query, made) {
    if (!query.or) { query.clauses.push(made); return; }
    query.or = false;
    const last = query.clauses.pop();
    if (last.each.length * made.each.length > MOST_GROUPS) throw many();
    const both = (some, more) => some.flatMap((one) => more.map((other) => [...one, ...other]));
    query.clauses.push({
      each: both(last.each, made.each), titled: both(last.titled, made.titled),
      named: [...last.named, ...made.named], names: [...last.names, ...made.names], read: [...last.read, ...made.read],
      key: last.key === made.key ? last.key : "", plain: "",
    });
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
    const whole = run.text.replaceAll("-", "_").slice(0, 160);
    const some = [phrase(run.row, start || sha), phrase(["~" + whole], start)];
    if (run.row.length > 1) some.push(phrase(["=~" + whole], start));
    if (apart.join("\n") !== run.row.join("\n")) some.push(phrase(apart, start));
    if (sha) some.push(phrase(["=" + run.text], true));
    if (/^[0-9]+$/.test(run.text)) some.push(phrase(["~#" + run.text]));
    return some;
  }

  function filterOf(key, value) {
    if (FILTERS.includes(key)) return key === "importance" ? "level" : key;
    const close = key.length > 2 ? near(key, FILTERS.filter((one) => one.length > 2)) : null;
    if (close) throw new QueryError("filter", { key, near: close });
    if (value && !/[_/.]/.test(value)) throw new QueryError("key", { key });
    return null;
  }

  function filtered(query, key, value, minus) {
    if (!value) throw new QueryError("value", { key });
    if (key === "since" || key === "until" || key === "month") return dated(query, key, value, minus);
    if (key === "author") {
      const marks = authorMarks(value);
      if (!minus && marks.length) joined(query, { each: marks.map((mark) => [phrase([mark])]), titled: [], named: [], names: [], read: [], key: "" });
      else if (marks.length) leftOut(query, [phrase([marks.length === 1 ? marks[0] : "@=" + name(value)])]);
      return undefined;
    }
    const tokens = valuesOf(query.known, key, lower(value)).map((one) => phrase([`!${key}:${one}`]));
    if (minus) leftOut(query, tokens);
    else joined(query, { each: [tokens], titled: [], named: [], names: [], read: [], key: EITHER.includes(key) ? key : "" });
    return undefined;
  }

  function valuesOf(known, key, value) {
    if (key === "repo") {
      const found = known.repos.filter((repo) => lower(repo).includes(value)).map(repoMark);
      if (!found.length) throw new QueryError("repo", { value });
      return found;
    }
    if (key === "breaking") value = { true: "yes", 1: "yes", false: "no", 0: "no" }[value] || value;
    const choices = CHOICES[key], every = key === "kind" ? [...choices, ...known.kinds] : choices;
    if (every.includes(value)) return [name(value) || "-"];
    const close = near(value, every);
    if (close) throw new QueryError("near", { key, value, near: close });
    throw new QueryError("choice", { key, value, choices: choices.join(", ") });
  }

  function dated(query, key, value, minus) {
    if (query.or) throw new QueryError("or");
    const first = minus ? null : dayOf(value, false), last = minus ? null : dayOf(value, true);
    if (first === null || last === null) throw new QueryError("date", { key, value });
    query.dated = true;
    if (key !== "until") query.days[0] = Math.max(query.days[0], first);
    if (key !== "since") query.days[1] = Math.min(query.days[1], last);
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
    return best[0] <= slips(word) ? best[1] : null;
  }

  const slips = (word) => (word.length < 6 ? 1 : 2);

  function distance(a, b) {
    let earlier = [0];
    let before = Array.from({ length: b.length + 1 }, (_, at) => at);
    for (let row = 1; row <= a.length; row += 1) {
      const now = [row];
      for (let at = 1; at <= b.length; at += 1) {
        now.push(Math.min(now[at - 1] + 1, before[at] + 1, before[at - 1] + (a[row - 1] !== b[at - 1] ? 1 : 0)));
        if (row > 1 && at > 1 && a[row - 1] !== b[at - 1] && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1])
          now[at] = Math.min(now[at], earlier[at - 2] + 1);
      }
      [earlier, before] = [before, now];
    }
    return before[b.length];
  }

  // The query with the nearest known word for each that no title has.
  function respelt(text, words) {
    return text.split(/\s+/u).filter(Boolean).map((piece) => {
      if (piece.includes(":") || piece.startsWith("-") || piece.endsWith("*")) return piece;
      return piece.replace(/[A-Za-z][A-Za-z0-9]{3,}/g, (word) => (words.has(lower(word)) ? word : nearest(lower(word).slice(0, LONGEST), words) || word));
    }).join(" ");
  }

  // One flag, variable or name of several parts.
  function isName(text) {
    const found = /^(?:--)?[0-9A-Za-z_](?:[0-9A-Za-z_./-]|::)*$/.test(text) ? runs(text) : [];
    return found.length === 1 && found[0].row.length > 1;
  }

  // Words side by side as one name, the longest first, then words that may be names.
  function called(text) {
    const pieces = text.replaceAll('"', " ").split(/\s+/u).filter(Boolean), joined = [];
    pieces.forEach((_, at) => {
      const after = pieces.slice(at, at + MOST_PARTS), stop = after.findIndex((piece) => !/^[A-Za-z0-9]+$/.test(piece));
      for (let end = 2; end <= (stop < 0 ? after.length : stop); end += 1) joined.push(after.slice(0, end).join("_"));
    });
    joined.sort((a, b) => b.split("_").length - a.split("_").length);
    return [...new Set([...joined, ...pieces.filter((piece) => !piece.replaceAll("::", "").includes(":"))])];
  }

  // The query with its names in words, the nearest first: all words, fewer from the front, any of them.
  function parted(text) {
    const pieces = text.split(/\s+/u).filter(Boolean);
    if (pieces.includes("OR") || text.includes('"')) return [];
    const leftOut = (piece) => piece.startsWith("-") && !piece.startsWith("--");
    const asked = pieces.filter((piece) => piece.replaceAll("::", "").includes(":") || piece.endsWith("*") || leftOut(piece));
    const wordsOf = (piece) => runs(piece).flatMap((run) => (run.text ? run.row : [run.han]));
    const words = [...new Set(pieces.filter((piece) => !asked.includes(piece)).flatMap(wordsOf))];
    if (words.length < 2 || words.length > MOST_WORDS || asked.length > MOST_WORDS) return [];
    const telling = words.filter((word) => Array.from(word).length >= SHORTEST_START || !/^[\x00-\x7f]*$/.test(word));
    const rows = [words];
    for (let end = words.length - 1; pieces.length === 1 && end > 1; end -= 1) rows.push(words.slice(0, end));
    const found = [...rows.map((row) => row.join(" ")), telling.join(" OR ")];
    return found.filter((one) => one && one !== pieces.join(" ")).map((one) => [one, ...asked].join(" "));
  }

  // The query without one of its filters, each in turn, the last first, or without all.
  function loosened(text) {
    const pieces = text.split(/\s+/u).filter(Boolean);
    if (pieces.includes("OR") || text.includes('"') || pieces.length < 2 || pieces.length > MOST_WORDS) return [];
    const filters = pieces.map((_, at) => at).filter((at) => pieces[at].replaceAll("::", "").includes(":")).reverse();
    const bare = filters.length > 1 ? pieces.filter((_, at) => !filters.includes(at)) : [];
    return [...filters.map((at) => [...pieces.slice(0, at), ...pieces.slice(at + 1)]), bare].filter((row) => row.length).map((row) => row.join(" "));
  }

  function nearest(word, words) {
    const most = slips(word);
    let best = null;
    for (const [other, times] of words) {
      if (Math.abs(other.length - word.length) > most) continue;
      const apart = distance(word, other);
      if (apart > most) continue;
      if (!best || apart < best[0] || (apart === best[0] && (times > best[1] || (times === best[1] && other < best[2])))) best = [apart, times, other];
    }
    return best ? best[2] : null;
  }

  // --- the index ---

  const held = { index: null, months: new Map(), parts: new Map(), days: new Map(), words: new Map(), later: new Map() };
  const receive = {
    index: (value) => { held.index = value; },
    month: (month, days) => { held.months.set(month, days); },
    words: (month, text) => { held.words.set(month, text); },
    later: (month, changes) => { held.later.set(month, changes); },
    part: (month, part, tokens) => { held.parts.set(month + "/" + part, tokens); },
    day: (label, repos, rows) => { held.days.set(label, { repos, rows }); },
  };

  function partOf(token, parts) {
    let number = 0x811c9dc5;
    for (const sign of Array.from(token.replace(/^[~=@!^]+/, "")).slice(0, SHORTEST_START))
      number = Math.imul(number ^ sign.codePointAt(0), 0x01000193) >>> 0;
    return ((number ^ (number >>> 15)) >>> 0) % parts;
  }

  function needed(query, parts) {
    const found = new Set();
    for (const group of [...query.each, ...query.without, ...query.first.flat()])
      for (const one of group) for (const token of one.tokens) found.add(partOf(token, parts));
    for (const key of FACETS) if (key !== "month") found.add(partOf(`!${key}:`, parts));
    return [...found];
  }

  const LAST = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", FORMER = "!#$%&'()*+,-./:=>?@[]^_`{|}~";

  // The last digit of a number tells that it is the last: nothing stands between two numbers.
  function numbers(text) {
    const found = [];
    let upper = 0;
    for (const sign of text) {
      const last = LAST.indexOf(sign);
      if (last < 0) upper = upper * FORMER.length + FORMER.indexOf(sign);
      else { found.push(upper * LAST.length + last); upper = 0; }
    }
    return found;
  }

  function postings(text) {
    const found = new Map();
    let doc = -1;
    for (const piece of text.split(";")) {
      const [step, ...steps] = numbers(piece);
      doc += step;
      let place = 0;
      found.set(doc, steps.map((one) => (place += one)));
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
    const all = (groups) => groups.map(any).reduce((some, more) => some.map((flag, doc) => flag & more[doc]));
    const first = query.first.map(all);
    documents.forEach((one, doc) => {
      const place = first.findIndex((flags) => flags[doc]);
      one.first = place < 0 ? first.length : place;
      if (one.at < query.days[0] || one.at > query.days[1]) kept[doc] = 0;
    });
    return { found: documents.filter((_, doc) => kept[doc]), shares: sharesOf(month, parts, kept, look) };
  }

  // How many of the results each filter would leave: key -> value -> count.
  const FACETS = ["month", "repo", "kind", "level", "breaking", "in"];

  function sharesOf(month, parts, kept, look) {
    const breaks = new Uint8Array(kept.length);
    for (const doc of look(phrase(["!breaking:yes"]))) breaks[doc] = 1;
    const both = (docs) => [docs.length, docs.filter((doc) => breaks[doc]).length];
    const all = [...kept.keys()].filter((doc) => kept[doc]);
    return FACETS.map((key) => {
      const found = new Map(), before = `!${key}:`;
      if (key === "month") return all.length ? found.set(month, both(all)) : found;
      for (const token of Object.keys(held.parts.get(month + "/" + partOf(before, parts)) || {})) {
        const value = token.slice(before.length);
        if (!token.startsWith(before) || (key === "kind" && !CHOICES.kind.includes(value)) || (key === "breaking" && value === "no")) continue;
        const docs = look(phrase([token])).filter((doc) => kept[doc]);
        if (docs.length) found.set(value, both(docs));
      }
      return found;
    });
  }

  function facetsOf(months) {
    const names = new Map(held.index.repos.map((repo) => [repoMark(repo), repo]));
    return FACETS.flatMap((key, at) => {
      const sums = new Map();
      for (const shares of months) for (const [value, [count, breaks]] of shares[at]) {
        const [sum, broken] = sums.get(value) || [0, 0];
        sums.set(value, [sum + count, broken + breaks]);
      }
      const rows = [...sums].map(([value, counts]) => [key, key === "repo" ? names.get(value) || value : value, ...counts]);
      return rows.sort((a, b) => b[2] - a[2] || (a[1] < b[1] ? -1 : 1));
    });
  }

  async function meant(text, months, load, all) {
    await Promise.all(months.filter(([month]) => !held.words.has(month)).map(([month, , digest]) => load(month + "/words.js", digest)));
    const words = new Map();
    for (const [month] of months) {
      const some = held.words.get(month).split(" ");
      for (let at = 0; at + 1 < some.length; at += 2) words.set(some[at], (words.get(some[at]) || 0) + Number(some[at + 1]));
    }
    const other = respelt(text, words), same = other === text.split(/\s+/u).filter(Boolean).join(" ");
    for (const one of [...(same ? [] : [other]), ...loosened(text), ...parted(text)]) if ((await find(one, load, all, true)).found.length) return one;
    return "";
  }

  // Months that a query may find something in; without dates in it only the newest ones, unless all are asked for.
  function monthsFor(query, all) {
    const first = (month) => dayOf(month, false), last = (month) => dayOf(month, true);
    const may = held.index.months.filter(([month]) => last(month) >= query.days[0] && first(month) <= query.days[1]);
    const dated = query.days[0] > 0 || query.days[1] < LAST_DAY;
    return all || dated ? may : may.slice(0, RECENT);
  }

  // How many days were looked through, and the first and last of them: what is not found was not in these.
  function spanOf(months) {
    const labels = [...new Set(months.flatMap(([month]) => held.months.get(month).map(([label]) => label)))].sort();
    return { labels, days: labels.length, span: [...new Set([labels[0], labels.at(-1)])].filter(Boolean).join(" – ") };
  }

  async function find(text, load, all, respelt) {
    if (!held.index) await load("index.js", "");
    const query = parse(text, held.index);
    const months = monthsFor(query, all);
    await Promise.all(months.flatMap(([month, parts, digest]) => {
      const files = held.months.has(month) ? [] : [month + "/days.js"];
      for (const part of needed(query, parts))
        if (!held.parts.has(month + "/" + part)) files.push(`${month}/${part.toString(16).padStart(2, "0")}.js`);
      return files.map((file) => load(file, digest));
    }));
    const each = months.map(([month, parts]) => inMonth(query, month, parts));
    const found = each.flatMap((one) => one.found);
    found.sort((a, b) => a.first - b.first || b.rank - a.rank);
    const days = query.span.length ? ["since:" + query.span[1], "until:" + query.span[2]] : [];
    const plain = days.length || query.idle.length ? [query.bare, ...days].join(" ").trim() : text;
    const suggestion = found.length || respelt ? "" : await meant(plain, months, load, all);
    return { query, found, facets: facetsOf(each.map((one) => one.shares)), suggestion, ...spanOf(months), newest: held.index.newest, left: held.index.months.length - months.length, dated: monthsFor(query, true).length === months.length };
  }

  async function rows(found, language, load) {
    const labels = [...new Set(found.map((one) => one.label))].filter((label) => !held.days.has(label));
    const months = [...new Set(found.map((one) => one.label.slice(0, 7)))].filter((month) => !held.later.has(month));
    await Promise.all([
      ...labels.map((label) => load(`days/${label}.js`, digestOf(label))),
      ...months.map((month) => load(`${month}/later.js`, held.index.newest)), // a later day may have taken something back
    ]);
    return found.map((one) => {
      const row = rowOf(held.days.get(one.label), one.seq, language), later = held.later.get(one.label.slice(0, 7));
      return [...row, row[0] === "change" && Object.hasOwn(later, row[2]) ? later[row[2]] : null];
    });
  }

  // What all languages share stands once in the file; lines are language, line, language, line; `:default_changed` in place of
  // a language says what happened to the name that the line begins with.
  function rowOf({ repos, rows: all }, seq, language) {
    const [kind, at, key, title, level, breaking, topic, path, told] = all[seq], [repo, slug] = repos[at];
    const of = (some) => told.filter((_, place) => place % 2 && (some.includes(told[place - 1]) || (some.includes("") && told[place - 1][0] === ":")));
    const does = told.flatMap((line, place) => (place % 2 && told[place - 1][0] === ":" ? [[told[place - 1].slice(1), line]] : []));
    return [kind, repo, key, title, level, breaking, topic, path || `changes/${slug}/${key}.html`, of(["", language]), of(["="]).join(" "), does];
  }

  const digestOf = (label) => (held.index.months.find(([month]) => month === label.slice(0, 7)) || ["", 0, ""])[2];

  globalThis.daybreakSearch = Object.freeze({ ...receive, normal, lower, runs, parse, find, rows, partOf, name, namesOf, isName, called });
})();
