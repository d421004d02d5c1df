"use strict";
// The pages work without this script. Ages go on while a page is open, and the times behind them
// are in the zone of the reader. The appearance that a person has chosen stays.
const times = (() => {
  const units = [["second", 1, 60], ["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, 14 * 86400],
    ["week", 7 * 86400, 60 * 86400], ["month", 365 * 7200, 2 * 365 * 86400], ["year", 365 * 86400, Infinity]];
  const text = seconds => {
    if (seconds < 0) return "in " + text(-seconds);
    const [name, length] = units.find(unit => seconds < unit[2]);
    const n = Math.floor(seconds / length);
    return `${n} ${name}${n === 1 ? "" : "s"}`;
  };
  const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeStyle: "short" });
  const show = root => {
    for (const e of root.querySelectorAll("time[title]")) {
      const at = new Date(e.dateTime);
      e.title = local.format(at);
      e.textContent = text(Math.trunc((Date.now() - at) / 1000));
    }
  };
  show(document);
  setInterval(() => { if (!document.hidden) show(document); }, 30000);
  return { show };
})();

const kept = {
  get: name => { try { return localStorage.getItem("issues-index." + name); } catch { return null; } }, // it may be forbidden
  set: (name, value) => { try { localStorage.setItem("issues-index." + name, value); } catch { /* it holds for this page */ } },
};
(() => {
  const names = { "": "as the system", light: "light", dark: "dark" };
  const wear = theme => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    const said = document.querySelector("[data-do=theme] span");
    if (said) said.textContent = names[theme];
  };
  wear(kept.get("theme") in names ? kept.get("theme") : "");
  document.addEventListener("click", event => {
    if (!event.target.closest("[data-do=theme]")) return;
    const all = Object.keys(names), next = all[(all.indexOf(document.documentElement.dataset.theme ?? "") + 1) % all.length];
    kept.set("theme", next);
    wear(next);
  });
})();
