/* What a page can do beyond links and folds: theme, keys, filters, keeping the place when the language is switched.
   Without scripts every word is there; the colours of folded hunks are not. */
(function () {
  "use strict";
  var doc = document, root = doc.documentElement;
  root.classList.remove("loading");
  function all(selector, from) { return Array.prototype.slice.call((from || doc).querySelectorAll(selector)); }
  function one(selector) { return doc.querySelector(selector); }

  /* --- theme ----------------------------------------------------------------------------------------------------- */
  var button = one("button.theme");
  function theme() { return root.dataset.theme || "auto"; }
  function showTheme() { if (button) { button.textContent = button.dataset[theme()]; button.hidden = false; } }
  function nextTheme() {
    var next = { auto: "light", light: "dark", dark: "auto" }[theme()];
    if (next === "auto") delete root.dataset.theme; else root.dataset.theme = next;
    try {
      if (next === "auto") localStorage.removeItem("daybreak-theme"); else localStorage.setItem("daybreak-theme", next);
    } catch (e) { /* not kept */ }
    showTheme();
  }
  if (button) button.addEventListener("click", nextTheme);
  showTheme();

  /* --- a link of the bar to a part of this page is lit while that part is looked at --------------------------------- */
  function lightTab() {
    var tabs = all(".bar nav a"), own = one(".bar nav a[data-own]") || one(".bar nav a[aria-current]");
    var part = tabs.filter(function (tab) { return tab.hash && tab.hash === location.hash && tab.pathname === location.pathname; })[0];
    if (!own) return;
    own.dataset.own = "";
    tabs.forEach(function (tab) { if (tab === (part || own)) tab.setAttribute("aria-current", "page"); else tab.removeAttribute("aria-current"); });
  }
  addEventListener("hashchange", lightTab);
  lightTab();

  /* --- a session of a server can be ended ------------------------------------------------------------------------- */
  var foot = one("footer[data-out]");
  if (foot && /(^|; )daybreak_signed_in=1/.test(doc.cookie)) {
    var out = doc.createElement("a");
    out.href = "/logout";
    out.textContent = foot.dataset.out;
    foot.querySelector("p").append(" · ", out);
  }

  /* --- what is new since the last visit: days after the newest one that was seen then ------------------------------ */
  function sinceLastVisit() {
    var home = one(".home[data-new]"), newest = one(".newest[data-label]"), seen = null;
    if (!home || !newest) return;
    try { seen = localStorage.getItem("daybreak-seen"); localStorage.setItem("daybreak-seen", newest.dataset.label); } catch (e) { return; }
    if (seen) all(".days li").forEach(function (day) {
      if (day.dataset.label <= seen) return;
      var mark = doc.createElement("b");
      mark.className = "tag fresh";
      mark.textContent = home.dataset.new;
      day.querySelector(".headline").prepend(mark, " ");
    });
  }
  sinceLastVisit();

  /* --- what is below a day's first screen: markup within <noscript>, which a parser that runs scripts takes as one piece of
     text. It becomes elements where there is time, so that the first screen can be used before. ------------------------ */
  var changes = [], waiting = all(".day .content noscript");
  function fill(piece) {
    var made = doc.createElement("template"), part = piece.closest("section");
    made.innerHTML = piece.textContent;
    all("details.change", made.content).forEach(function (change) { change.classList.add("settled"); });
    piece.replaceWith(made.content);
    part.classList.add("settled");
  }
  /* One piece at a time: each ends before a key that is pressed meanwhile would be felt. */
  var idle = window.requestIdleCallback || setTimeout;
  function fillOne() {
    if (waiting.length) fill(waiting.shift());
    if (waiting.length) idle(fillOne); else arrive();
  }
  function fillAll() {
    waiting.splice(0).forEach(fill);
    arrive();
  }

  /* --- what the address asks for --------------------------------------------------------------------------------- */
  var asked = new URLSearchParams(location.search);
  function keep(params, hash) {
    var query = params.toString();
    try {
      history.replaceState({ open: openFolds() }, "", location.pathname + (query ? "?" + query : "") + (hash === undefined ? location.hash : hash));
    } catch (e) { /* on disk some browsers refuse */ }
    all("a[rel=prev], a[rel=next]").forEach(function (link) { link.search = query ? "?" + query : ""; });
  }

  /* --- filters --------------------------------------------------------------------------------------------------- */
  var form = null, texts = null;
  function wanted() {
    var data = new FormData(form), params = new URLSearchParams();
    data.forEach(function (value, name) { if (value) params.append(name, value); });
    return params;
  }
  /* The address has names, which mean the same on every day; the changes of this page have numbers, which are short. */
  function placeOf(name) {
    var field = form.elements[name], chosen = field && field.selectedOptions && field.selectedOptions[0];
    return chosen && chosen.value ? chosen.dataset.at || "-" : "";
  }
  function words(change) {
    if (!texts) texts = new Map();
    if (!texts.has(change)) texts.set(change, change.textContent.toLowerCase());
    return texts.get(change);
  }
  /* Whether what is told leads to a change that is shown. */
  function leads(entry) {
    return all('a[href*="#c-"]', entry).some(function (link) {
      var change = doc.getElementById(link.hash.slice(1));
      return change && !change.hidden;
    });
  }
  function filter() {
    var params = wanted(), levels = params.getAll("level"), shown = 0;
    var repo = placeOf("repo"), component = placeOf("component");
    var asks = (params.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    changes.forEach(function (change) {
      var data = change.dataset;
      var fits = (!levels.length || levels.indexOf(data.l) >= 0) &&
        (!params.get("breaking") || data.b) &&
        (!repo || change.closest("section.repo").dataset.r === repo) &&
        (!params.get("kind") || data.k === params.get("kind")) &&
        (!component || (" " + (data.c || "")).indexOf(" " + component + " ") >= 0) &&
        asks.every(function (word) { return words(change).indexOf(word) >= 0; });
      change.hidden = !fits;
      if (fits) shown += 1;
    });
    var narrowed = params.toString() !== "";
    var own = narrowed && !(params.get("repo") && Array.from(params.keys()).length === 1);
    root.classList.toggle("filtering", own);
    root.classList.toggle("narrowed", narrowed); /* what is told of the whole day would stand between filter and result */
    all("#touches, #actions").forEach(function (section) {
      var left = all(".actions > li", section).filter(function (asked) {
        asked.hidden = narrowed && !leads(asked);
        return !asked.hidden;
      });
      section.hidden = narrowed && !left.length;
      all("details.more", section).forEach(function (fold) { fold.hidden = narrowed && !fold.querySelector("li:not([hidden])"); });
      left.forEach(function (entry) { var fold = entry.closest("details"); if (narrowed && fold) fold.open = true; });
    });
    all("#worth").forEach(function (section) {
      all("li", section).forEach(function (told) { told.hidden = narrowed && !leads(told); });
      all("h3", section).forEach(function (area) { area.hidden = !area.nextElementSibling.querySelector("li:not([hidden])"); });
      section.hidden = !section.querySelector("li:not([hidden])");
    });
    one(".nothing").hidden = shown > 0;
    all("section.repo").forEach(function (part) {
      part.hidden = (!!repo && part.dataset.r !== repo) || (own && !part.querySelector("details.change:not([hidden])"));
    });
    tell(shown);
    keep(params);
  }
  /* What is asked for, in the words of the form: without the counts that stand beside them. */
  function restated() {
    return all("input, select", form).map(function (field) {
      if (field.type === "checkbox") return field.checked ? field.closest("label").firstChild.nextSibling.textContent.trim() : "";
      var chosen = field.selectedOptions && field.selectedOptions[0];
      return chosen ? (chosen.value && chosen.textContent.replace(/ · \d+$/, "")) : field.value.trim();
    }).filter(Boolean).join(" · ");
  }
  function tell(shown) {
    var none = form.dataset.none + " " + restated();
    one(".shown").textContent = shown ? form.dataset.shown.replace("{shown}", shown).replace("{all}", changes.length) : none;
    one(".nothing").textContent = none;
  }
  function restore() {
    all("input, select", form).forEach(function (field) {
      var values = asked.getAll(field.name);
      if (field.type === "checkbox") field.checked = values.indexOf(field.value) >= 0;
      else if (values.length) {
        field.value = values[0];
        if (field.options && field.selectedIndex < 0) { field.add(new Option(values[0] + " · 0", values[0])); field.value = values[0]; }
      }
    });
  }
  function unfold(open) { changes.forEach(function (change) { if (!change.hidden) change.open = open; }); }
  function startFilter() {
    form = one("form.filter");
    if (!form) return;
    form.classList.add("ready");
    if (matchMedia("(max-width: 68rem)").matches) form.parentNode.open = asked.toString() !== "" && !asked.has("open");
    restore();
    var later = 0;
    form.addEventListener("input", function (event) {
      clearTimeout(later);
      if (event.target.type === "search") later = setTimeout(filter, 120); else filter();
    });
    form.addEventListener("reset", function () { setTimeout(filter, 0); });
    form.addEventListener("submit", function (event) { event.preventDefault(); filter(); });
    var fold = one(".unfold"), unfolded = false;
    fold.addEventListener("click", function () {
      unfolded = !unfolded;
      unfold(unfolded);
      fold.textContent = form.dataset[unfolded ? "fold" : "unfold"];
    });
  }

  /* --- colours of a hunk, when it is seen: "12k3" is 3 characters of a key word after 12 without colour ----------- */
  function colour(pre) {
    var marks = [], at = 0, found, find = /(\d+)([cfkns])(\d+)/g, walk = doc.createTreeWalker(pre, NodeFilter.SHOW_TEXT), nodes = [];
    while ((found = find.exec(pre.dataset.m))) { at += +found[1]; marks.push({ from: at, kind: found[2], to: at += +found[3] }); }
    pre.removeAttribute("data-m");
    while (walk.nextNode()) nodes.push(walk.currentNode);
    for (var n = 0, start = 0, m = 0; n < nodes.length; n += 1) {
      var node = nodes[n], end = start + node.length, own = [];
      while (m < marks.length && marks[m].to <= end) own.push(marks[m++]);
      own.reverse().forEach(function (mark) {
        node.splitText(mark.to - start);
        var made = doc.createElement("i");
        made.className = mark.kind;
        made.append(node.splitText(mark.from - start));
        node.after(made);
      });
      start = end;
    }
  }
  function colours(from) { all("pre[data-m]", from).forEach(colour); }
  doc.addEventListener("toggle", function (event) {
    var fold = event.target;
    if (fold.open) colours(fold);
    if (!fold.matches("details.change")) return;
    if (fold.open) copying(fold);
    if (!placing) keep(form ? wanted() : new URLSearchParams(location.search), fold.open ? "#" + fold.id : "");
  }, true);

  /* --- a link to one change, to be sent to somebody ---------------------------------------------------------------- */
  /* Over plain http, as within a team, browsers have no clipboard for scripts but the old command. */
  function put(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    var field = doc.body.appendChild(doc.createElement("textarea"));
    field.value = text;
    field.select();
    doc.execCommand("copy");
    field.remove();
    return Promise.resolve();
  }
  /* Whose change it is, its mark and title, its sentence and its address: who is sent a bare address has to open it to know. */
  function inShort(from, own) {
    var project = (from.closest("section.repo") || from).querySelector("header h2 a, .eyebrow a");
    var title = [project, from.querySelector(".meta .tag:not(.later)"), from.querySelector("h1, h3")].filter(Boolean).map(plain).join(" · ");
    var said = from.querySelector(".gist") || from.querySelector(".told, .said dd");
    var address = own ? own.href : location.href.split(/[?#]/)[0] + (from.id ? "#" + from.id : "");
    return [title, said && plain(said), address].filter(Boolean).join("\n");
  }
  /* `text`: what is put instead, where more than one change is meant. */
  function copying(from, text) {
    var row = from.querySelector(".links"), page = one("[data-copy]");
    if (!row || !page || row.querySelector(".copy")) return;
    var own = row.querySelector("a.own"), made = doc.createElement("button");
    made.type = "button";
    made.className = "copy";
    made.textContent = page.dataset.copy;
    made.addEventListener("click", function () {
      put(text ? text() : inShort(from, own)).then(function () {
        made.textContent = page.dataset.copied;
        setTimeout(function () { made.textContent = page.dataset.copy; }, 2000);
      });
    });
    row.append(made);
  }
  var single = one("article.one");
  if (single) copying(single);
  /* All of it, folded or not: whoever is sent the list works through it. Nothing inner, and numbers of a list
     are no text: they are written here. */
  function plain(node) { return node.textContent.replace(/\s+/g, " ").trim(); }
  function stepsTold(steps) {
    var title = one("h1"), code = one("#of-code > summary"), page = location.protocol === "file:" ? "" : location.href.split(/[?#]/)[0];
    var parts = all("ol > li", steps).filter(function (item) { return item.parentElement.parentElement === steps; });
    var lists = parts.map(function (part, at) {
      var rows = all("li", part).filter(function (row) { return row.className !== "inner" && !row.querySelector("li"); });
      return at + 1 + ". " + plain(part.querySelector("p, summary") || part) + rows.map(function (row) { return "\n   - " + plain(row); }).join("");
    });
    return [title && plain(title)].concat(lists, code && plain(code), page).filter(Boolean).join("\n");
  }
  if (one("#steps")) copying(one("#steps"), function () { return stepsTold(one("#steps")); });

  /* --- folds, and the place on the page -------------------------------------------------------------------------- */
  function reveal(id) {
    if (waiting.length) fillAll();
    var target = id && doc.getElementById(id);
    if (!target) return null;
    if (form && root.classList.contains("narrowed") && !target.getClientRects().length) { form.reset(); filter(); }
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    return target;
  }
  function follow() {
    var target = reveal(decodeURIComponent(location.hash.slice(1)));
    if (target) target.scrollIntoView();
  }
  function openFolds() {
    return all("details[id][open]").map(function (fold) { return fold.id.slice(2, 10); });
  }
  function place() {
    var marks = all("details.change[id], section[id]").filter(function (mark) { return mark.offsetParent !== null; });
    for (var i = 0, best = null; i < marks.length; i += 1) {
      var top = marks[i].getBoundingClientRect().top;
      if (top > 90) break;
      best = [marks[i].id, Math.round(top)];
    }
    return best;
  }
  function elsewhere(link) {
    var params = form ? wanted() : new URLSearchParams(location.search), folds = openFolds(), at = scrollY > 80 ? place() : null;
    if (folds.length) params.set("open", folds.join("."));
    if (at) { params.set("at", at[0]); params.set("y", at[1]); }
    var query = params.toString();
    link.search = query ? "?" + query : "";
    link.hash = at ? "" : location.hash;
  }
  all("a.lang").forEach(function (link) {
    link.addEventListener("click", function () {
      try { localStorage.setItem("daybreak-language", link.hreflang); } catch (e) { /* no storage: for this visit */ }
      elsewhere(link);
    });
  });
  var arrived = false, placing = false;
  function arrive() {
    if (arrived) return;
    arrived = placing = true;
    changes = all("details.change");
    startFilter();
    (asked.get("open") || "").split(".").forEach(function (start) {
      var fold = /^[0-9a-f]{6,}$/.test(start) && one('details[id^="c-' + start + '"]');
      if (fold) fold.open = true;
    });
    if (form) { if (asked.toString()) filter(); else tell(changes.length); }
    ((history.state && history.state.open) || []).forEach(function (start) {
      var fold = /^[0-9a-f]{6,}$/.test(start) && one('details[id^="c-' + start + '"]');
      if (fold) fold.open = true;
    });
    setTimeout(function () { placing = false; }, 0);
    var y = parseInt(asked.get("y"), 10), target = doc.getElementById(asked.get("at") || "");
    if (target && !isNaN(y)) scrollTo(0, scrollY + target.getBoundingClientRect().top - y);
    else if (location.hash) follow();
  }
  addEventListener("hashchange", follow);
  /* A place can be found only when all above it is there. */
  var visit = performance.getEntriesByType("navigation")[0];
  if (!waiting.length || asked.toString() || location.hash || (visit && visit.type !== "navigate")) fillAll();
  else addEventListener("load", function () { idle(fillOne); });
  addEventListener("beforeprint", function () { if (waiting.length) fillAll(); });

  /* --- where a line of time is wider than the screen, its newest end is seen first ---------------------------------- */
  all(".lanes").forEach(function (lane) { lane.scrollLeft = lane.scrollWidth; });

  /* --- what is pointed at says what it is: the whole path, the title of the change that a link leads to --------------- */
  doc.addEventListener("mouseover", function (event) {
    var shown = event.target.closest('.path, a[href^="#c-"]');
    if (!shown || shown.title) return;
    var change = shown.hash && doc.getElementById(shown.hash.slice(1));
    shown.title = (change ? change.querySelector("h3") : shown).textContent;
  });

  /* --- keys ------------------------------------------------------------------------------------------------------ */
  function step(by) {
    var seen = all("#touches .actions > li, #actions .actions > li").concat(changes).filter(function (entry) { return entry.getClientRects().length; });
    if (!seen.length) return;
    var current = doc.activeElement && doc.activeElement.closest("details.change, .actions > li"), at = seen.indexOf(current);
    if (at < 0) {
      at = seen.findIndex(function (entry) { return entry.getBoundingClientRect().top > 60; });
      if (at < 0) at = seen.length - 1;
    } else at = Math.max(0, Math.min(seen.length - 1, at + by));
    var summary = seen[at].matches("details") ? seen[at].querySelector("summary") : seen[at];
    if (summary === seen[at]) summary.tabIndex = -1;
    summary.focus({ preventScroll: true });
    seen[at].scrollIntoView({ block: "nearest" });
  }
  function made(into, tag, text) { var element = doc.createElement(tag); if (text) element.textContent = text; into.append(element); return element; }
  /* What the keys do: a script file of the language, loaded when it is asked for. */
  window.daybreakKeys = function (title, close, rows) {
    var help = made(doc.body, "dialog"), list;
    help.className = "keys";
    made(help, "h2", title).id = "keys-title";
    help.setAttribute("aria-labelledby", "keys-title");
    list = made(help, "dl");
    rows.forEach(function (row) {
      var term = made(list, "dt");
      row[0].split(" ").forEach(function (key) { made(term, "kbd", key); term.append(" "); });
      made(list, "dd", row[1]);
    });
    var form = made(help, "form");
    form.method = "dialog";
    made(form, "button", close);
    help.showModal();
  };
  function press(selector) { var link = one(selector); if (link) link.click(); return !!link; }
  var keys = {
    j: function () { step(1); },
    k: function () { step(-1); },
    o: function () {
      var fold = doc.activeElement && doc.activeElement.closest("details.change");
      var entry = doc.activeElement && doc.activeElement.closest(".actions > li"), link = entry && entry.querySelector("a");
      if (fold) fold.open = !fold.open;
      else if (link) link.click();
    },
    "/": function () {
      var field = one("form.filter input[type=search]") || one("main input[type=search]") || one(".ask input");
      if (!field) return;
      var box = field.closest("details");
      if (box) box.open = true;
      field.focus();
      field.select();
    },
    "[": function () { press("a[rel=prev]"); },
    "]": function () { press("a[rel=next]"); },
    l: function () { press("a.lang"); },
    t: nextTheme,
    "?": function () { if (one("dialog.keys")) one("dialog.keys").showModal(); else made(doc.head, "script").src = one("[data-keys]").dataset.keys; }
  };
  doc.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    var field = event.target.closest("input, select, textarea, [contenteditable]");
    if (field) { if (event.key === "Escape") field.blur(); if (field.type !== "checkbox") return; }
    if (one("dialog[open]")) return;
    var act = Object.prototype.hasOwnProperty.call(keys, event.key) && keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });
})();
