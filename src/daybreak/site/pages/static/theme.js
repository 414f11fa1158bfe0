/* Before the first paint: the theme that was chosen last, and the form that the page has with scripts, so that nothing moves. */
(function () {
  "use strict";
  document.documentElement.classList.add("scripted");
  try {
    var kept = localStorage.getItem("daybreak-theme");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch (e) { /* no storage: the system's theme */ }
})();
