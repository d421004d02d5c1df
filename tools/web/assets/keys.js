"use strict";
// The pages work without this script. It adds the key / for the search.
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  event.preventDefault();
  document.querySelector("header input[type=search]").focus();
});
