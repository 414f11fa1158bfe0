/* Before the first paint: the theme that was chosen last, and the form that the page has with scripts, so that nothing moves. */
(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("scripted", "loading");
  addEventListener("load", function () { root.classList.remove("loading"); }); /* should the page's script be missing */
  try {
    var kept = localStorage.getItem("daybreak-theme");
    if (kept === "light" || kept === "dark") root.dataset.theme = kept;
  } catch (e) { /* no storage: the system's theme */ }
})();
