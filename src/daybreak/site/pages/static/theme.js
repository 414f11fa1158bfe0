/* Before the first paint: the theme that was chosen last. */
(function () {
  "use strict";
  try {
    var kept = localStorage.getItem("daybreak-theme");
    if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
  } catch (e) { /* no storage: the system's theme */ }
})();
