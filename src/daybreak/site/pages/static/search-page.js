// The search page of the static site: reads the query from the address, and lists what search.js finds.
(() => {
  "use strict";
  const box = document.getElementById("search");
  const search = globalThis.daybreakSearch;
  if (!box || !search) return;
  const PAGE = 20;
  const words = JSON.parse(box.dataset.phrases);
  const asked = new URLSearchParams(location.search);
  const query = (asked.get("q") || "").trim();
  const from = Math.max(0, Math.min(100000, parseInt(asked.get("from") || "0", 10) || 0));
  const all = asked.get("all") === "1";
  const status = document.getElementById("search-status");
  const list = document.getElementById("search-results");
  const pager = document.getElementById("search-pager");

  const told = (key, facts) => (words[key] || key).replace(/\{(\w+)\}/g, (_, name) => (facts && name in facts ? facts[name] : ""));

  // A script file instead of fetch: a page on a disk may not fetch.
  function load(path, digest) {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = box.dataset.root + path + (digest ? "?d=" + encodeURIComponent(digest) : "");
      script.charset = "utf-8";
      script.onload = () => { script.remove(); done(); };
      script.onerror = () => { script.remove(); failed(new Error("load")); };
      document.head.append(script);
    });
  }

  function element(tag, kind, text) {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  // The text with what was looked for in <mark>; of Chinese only the characters that were.
  function marked(into, text, shown) {
    const starts = shown.filter((one) => one.start).map((one) => one.tokens.at(-1)).filter((one) => !/^[~=]/.test(one));
    const wanted = new Set(shown.flatMap((one) => one.tokens));
    const plain = text.replaceAll("…", " "); // it would become three dots, and no place would hold any more
    if (search.normal(plain).length !== text.length) { into.append(text); return; }
    const lit = new Uint8Array(text.length);
    for (const run of search.runs(plain)) {
      let at = run.start;
      if (run.text && wanted.has(run.text)) lit.fill(1, run.start, run.end);
      for (const token of run.row) {
        const hit = wanted.has(token) || starts.some((one) => token.startsWith(one));
        if (hit && run.text) lit.fill(1, run.start, run.end);
        else if (hit) lit.fill(1, at, at + token.length);
        at += String.fromCodePoint(token.codePointAt(0)).length;
      }
    }
    let begin = 0;
    for (let at = 1; at <= text.length; at += 1) {
      if (at < text.length && lit[at] === lit[begin]) continue;
      const piece = text.slice(begin, at);
      into.append(lit[begin] ? element("mark", "", piece) : piece);
      begin = at;
    }
  }

  // `hang` stands in `hangs` and `onHang`, and not in `changed`.
  function begins(token, line) {
    const read = search.lower(line), shown = read.length === line.length ? line : read;
    let at = read.indexOf(token);
    while (at > 0 && /^[\x00-\x7f]/.test(token) && /[0-9a-z]/.test(read[at - 1]) && !/[A-Z]/.test(shown[at])) at = read.indexOf(token, at + 1);
    return at >= 0;
  }

  // The line with most of what was looked for; where none has one, the names by which it was found.
  function snippet(lines, names, title, each) {
    const asked = each.map((group) => group.map((one) => one.tokens).filter(([first]) => !/^[~=!@]/.test(first)));
    const score = (line) => asked.filter((group) => group.some((tokens) => tokens.every((token) => begins(token, line)))).length;
    let best = lines[0] || "", most = score(title);
    for (const line of lines) {
      const here = score(line);
      if (here > most) { best = line; most = here; }
    }
    const named = most ? [] : names.split(" ").filter((name) => name && score(name));
    const deciding = named.filter((name) => name[0] !== "!"); // the others its lines only move or mention
    const some = (deciding.length ? deciding : named).slice(0, 3).map((name) => name.replace(/^!/, "")).join(", ");
    return some ? told(deciding.length ? "names" : "moved", { names: some }) : best === title ? "" : best;
  }

  // What it does to the first of its names that was asked for.
  function effect(does, names) {
    const found = does.find(([, line]) => line.split(" ").some((word) => search.namesOf(word).some((one) => names.includes(one))));
    return found ? words["verb." + found[0]] + words.colon + found[1] : "";
  }

  function item(row, label, { shown, each, names: asked }) {
    const [kind, repo, key, title, level, breaking, topic, path, lines, names, does, later] = row;
    const made = element("li", "hit");
    const head = element("h2");
    const link = element("a");
    link.href = box.dataset.pages + path;
    marked(link, title, shown);
    head.append(link);
    const meta = element("p", "meta");
    if (level) meta.append(element("span", "lv " + level, words["level." + level] || level), " ");
    else meta.append(element("span", "tag", words["in." + kind] || kind), " ");
    if (breaking) meta.append(element("span", "tag brk", words.breaking), " ");
    const id = kind === "change" ? key.slice(0, 9) : kind === "release" ? key : "#" + key;
    meta.append([repo, label, id, words["kind." + topic] || topic].filter(Boolean).join(" · "));
    if (later) {
      const mark = element("b", "tag later"), place = element(later[2] ? "a" : "span", "", words["later." + later[0]] + " " + later[1].slice(5));
      if (later[2]) place.href = /^https?:/.test(later[2]) ? later[2] : box.dataset.pages + later[2];
      mark.append(place);
      meta.append(" ", mark);
    }
    made.append(head, meta);
    const done = effect(does, asked), text = done || snippet(lines, names, title, each), first = lines[0] !== text && lines[0];
    const row_ = [[done, "snippet does"], [(breaking || done) && first, breaking ? "snippet breaks" : "snippet"], [!done && text, breaking && !first ? "snippet breaks" : "snippet"]];
    for (const [said, kind_] of row_.filter(([said]) => said)) {
      const line = element("p", kind_);
      marked(line, said, shown);
      made.append(line);
    }
    return made;
  }

  const addressOf = (text) => "?" + new URLSearchParams({ q: text, ...(all ? { all: "1" } : {}) });

  const OVERVIEW = ["month", "repo"]; // how many of each break

  function narrowings(facets, total) {
    const rows = [];
    for (const key of ["month", "repo", "kind", "level", "breaking", "in"]) {
      const some = facets.filter(([of, , count]) => of === key && (count < total || (key === "repo" && total > 1))).slice(0, 8);
      if (!some.length) continue;
      if (key === "level") some.sort((a, b) => ["high", "medium", "low"].indexOf(a[1]) - ["high", "medium", "low"].indexOf(b[1]));
      if (key === "month") some.sort((a, b) => (a[1] < b[1] ? 1 : -1));
      const row = element("p");
      row.append(element("span", "", words["facet_" + key]));
      const chip = (text, count, href, kind) => {
        const made = element("a", kind, text + " ");
        made.href = addressOf(href);
        made.append(element("small", "", count));
        row.append(" ", made);
      };
      for (const [, value, count, breaks] of some) {
        chip(words[`${key}.${value}`] || value, count, `${query} ${key}:${value}`, "");
        if (OVERVIEW.includes(key) && breaks && breaks < count) chip(words.breaking, breaks, `${query} ${key}:${value} breaking:yes`, "brk");
      }
      rows.push(row);
    }
    return rows;
  }

  function turn(to, text, rel) {
    const link = element("a", "button", text);
    const target = new URLSearchParams({ q: query });
    if (to) target.set("from", String(to));
    if (all) target.set("all", "1");
    link.href = "?" + target;
    if (rel) link.rel = rel;
    return link;
  }

  // Of a query that finds something without one of its filters, which one.
  function nothing(suggestion, bare, facts) {
    const kept = suggestion.split(/\s+/u), dropped = query.split(/\s+/u).filter((one) => !kept.includes(one));
    if (!offers.hidden) return ["none_offer", facts];
    const [filter] = suggestion && dropped.length === 1 && dropped[0].includes(":") ? dropped : [];
    return [search.isName(bare) ? "none_name" : filter ? "none_filter" : suggestion ? "none_near" : "none", { ...facts, filter }];
  }

  async function show() {
    status.textContent = words.looking;
    list.setAttribute("aria-busy", "true");
    const { query: read, found, facets, suggestion, span, days, labels, newest, left, dated } = await search.find(query, load, all);
    const page = found.slice(from, from + PAGE);
    const rows = await search.rows(page, box.dataset.lang, load);
    list.start = from + 1;
    list.replaceChildren(...rows.map((row, at) => item(row, page[at].label, read)));
    const last = from + page.length;
    const rest = found.findIndex((one) => one.first === read.first.length);
    const mentions = rest > 0 ? told("mentions", { first: rest + 1 }) : "";
    const shown = page.length ? told("shown", { first: from + 1, last, total: found.length, span, days }) + mentions : told(...nothing(suggestion, read.bare, { span, days, name: read.bare }));
    const named = page.length && !from && search.isName(read.bare) && !(await lives()) ? told("only_named", { span, days, name: read.bare, n: found.length }) + (rest > 0 ? told("named_first", { first: rest }) : "") : "";
    const more = left && !dated ? " " + told("recent", { n: left }) : "";
    status.textContent = (named && found.length <= PAGE ? named : named ? named + " " + shown : shown) + more;
    status.classList.toggle("answer", !page.length || Boolean(named)); /* that nothing is there is what was asked for, too */
    const also = document.getElementById("search-also"), meant = document.getElementById("search-meant");
    const [said, ...days_] = read.span;
    also.textContent = [
      said && told("read_days", { said, days: [...new Set(days_)].join(" – ") }),
      read.idle.length && told("read_idle", { words: read.idle.join(", ") }),
      read.also.length && told("also", { words: read.also.join(", ") }),
    ].filter(Boolean).join(" · ");
    also.hidden = !also.textContent;
    const other = meant.querySelector("a");
    if (suggestion) { other.textContent = suggestion; other.href = addressOf(suggestion); }
    meant.hidden = !suggestion || !offers.hidden; /* a page answers it: other words would not */
    await lives();
    // Of a day that is asked for, its own row of those on which a branch was broken.
    const told14 = read.span[1] === read.span[2] && labels.includes(read.span[1]) && Date.parse(newest) - Date.parse(read.span[1]) < 14 * 864e5;
    for (const link of told14 ? offers.querySelectorAll('a[href$="#broken"]') : []) {
      link.href += "-" + read.span[1];
      link.append(" · " + read.span[1]);
    }
    const narrow = document.getElementById("search-facets"), rowsOf = narrowings(facets, found.length);
    narrow.replaceChildren(...rowsOf);
    narrow.hidden = !rowsOf.length;
    pager.replaceChildren();
    if (from) pager.append(turn(Math.max(0, from - PAGE), words.previous, "prev"));
    if (last < found.length) pager.append(turn(last, words.next, "next"));
    if (left && !dated) {
      const link = turn(0, words.everything);
      link.href += "&all=1";
      pager.append(link);
    }
  }

  // Pages that answer the query as a whole; `offered` of search_offers.py decides the same.
  function offered(text) {
    const asked = text.toLowerCase().match(/\d{1,2}月|[!-~]+|[^\x00-\x7f]+/g) || [];
    asked.forEach((one, at) => (asked[at] = one.replace(/^repo:(?:.*\/)?/, "")));
    const versions = asked.filter((one) => /^v?\d+\.\d/.test(one)).map((one) => one.replace(/^v/, ""));
    const byWord = (words) => asked.some((one) => words.some((word) => (/^\d|^[\x00-\x7f]*$/.test(word) ? word === one : one.includes(word) && !one.includes("十" + word))));
    const byVersion = (ends) => versions.every((one) => ends.some((end) => (end + ".").startsWith(one + ".")));
    const onlyVersions = (words) => asked.every((one) => /^v?\d+\.\d/.test(one) || words.includes(one));
    return JSON.parse(box.dataset.offers).filter(([repo, ends, words]) =>
      (!repo || asked.includes(repo) || (ends.length && versions.length && onlyVersions(words))) && (byWord(words) || (ends.length && versions.length)) && (!ends.length || byVersion(ends)));
  }
  const offers = document.getElementById("search-offers");
  for (const [, , , text, href] of query ? offered(query) : []) {
    const link = element("a", "", text);
    link.href = href;
    offers.append(link, " ");
    offers.hidden = false;
  }

  // Names that are asked for lead to what happened to them.
  const known = new Map();
  globalThis.daybreakLives = (letter, names) => known.set(letter, names);
  async function lives() {
    const place = document.getElementById("search-lives"), links = [], taken = new Set();
    for (const word of from ? [] : search.called(query).slice(0, 24)) {
      const name = word.replace(/^.*\(/, "").replace(/\)+$/, "").split(/::|\./).at(-1).replace(/^-+/, "").replaceAll("-", "_").toLowerCase();
      const letter = (name.match(/[a-z0-9]/) || ["0"])[0];
      if (word.length < 3 || word.split("_").some((part) => taken.has(part))) continue;
      if (!known.has(letter)) await load(`symbols/${letter}.js`, "").catch(() => known.set(letter, {}));
      const names = known.get(letter) || {};
      if (Object.hasOwn(names, name)) word.split("_").forEach((part) => taken.add(part)); // of words that are a name together, none of each alone
      for (const [repo, surface, shown, path, events] of Object.hasOwn(names, name) ? names[name] : []) {
        const what = events.map(([label, verb, turned, after]) => [label, words["verb." + verb], turned, after && told("note", { text: words["later." + after] }).trim()].filter(Boolean).join(" ")).join(words.then);
        const link = element("a", "", `${repo} · ${words["surface." + surface] || surface} · ${shown}${words.colon}${what}`);
        link.href = box.dataset.pages + path;
        links.push(" ", link, " ·");
      }
    }
    links.length = Math.min(links.length, 24);
    links.pop();
    place.replaceChildren(element("b", "", words.life), ...links);
    place.hidden = !links.length;
    return links.length;
  }

  function fail(error) {
    status.classList.add("warn");
    status.textContent = error.code ? told("error_" + error.code, error.facts) : words.error_load;
  }

  const input = document.getElementById("q");
  input.value = query;
  document.querySelectorAll("a.lang").forEach((link) => { link.href += location.search; });
  if (query) show().catch(fail).finally(() => list.setAttribute("aria-busy", "false"));
  else input.focus();
})();
