/* Before the first paint: the theme and the language that were chosen last, and the form that the page has with scripts, so that
   nothing moves. */
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("scripted", "loading");
  addEventListener("load", function () { /* should the page's script be missing */
    if (!root.classList.contains("loading")) return;
    root.classList.remove("loading");
    document.querySelectorAll(".content noscript").forEach(function (piece) { piece.outerHTML = piece.textContent; });
  });
  try {
    var kept = localStorage.getItem("daybreak-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch (e) { /* no storage: the system's theme */ }
  /* The site's first page, which names its editions: the one that the reader chose, else the first that the browser asks for. */
  var editions = JSON.parse(document.currentScript.dataset.editions || "{}"), chosen = null;
  try { chosen = localStorage.getItem("daybreak-language"); } catch (e) { /* no storage: what the browser asks for */ }
  var asked = [chosen].concat(navigator.languages || []).map(function (one) { return (one || "").toLowerCase().split("-")[0]; });
  var found = asked.filter(function (one) { return Object.prototype.hasOwnProperty.call(editions, one); })[0];
  if (found && editions[found]) location.replace(editions[found] + location.search + location.hash);
})();
