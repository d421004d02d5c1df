// Keys. Single keys act on the row, the card or the document where the focus is, and can be
// switched off.
(() => {
  const all = [
    ["Ctrl K", "Go to any document, or do anything"], ["/", "Search"], ["?", "These keys"], ["j k", "Next, previous document"],
    ["Enter", "Open"], ["c", "New document"], ["e", "Edit"], ["s p l a", "Status, priority, labels, assignee; then a digit or letters"],
    ["m", "Write a note"], ["Ctrl ↵", "Send what is written"], ["y", "Copy the id"], ["z", "Undo the last change"],
    ["g, then o l b a g", "Overview, list, board, agents, graph"], ["Shift ← →", "Move a card"], ["Esc", "Close, leave"],
  ];
  const fields = { s: "status", p: "priority", l: "labels", a: "assignee" };
  const pages = { o: "/", l: "/list", b: "/board", a: "/agents", g: "/graph" };
  let going = 0; // when g was pressed

  const help = () => {
    const shown = choices.open("pop keys", "Keys");
    const list = document.createElement("dl");
    for (const [key, text] of all) {
      const term = document.createElement("dt"), does = document.createElement("dd"), kbd = document.createElement("kbd");
      kbd.textContent = key;
      term.append(kbd);
      does.textContent = text;
      list.append(term, does);
    }
    shown.append(list);
    shown.insertAdjacentHTML("beforeend", `<p class="total"><label><input type="checkbox"> Single keys act</label></p>`);
    const box = shown.querySelector("input");
    box.checked = kept.get("keys") !== "off";
    box.addEventListener("change", () => kept.set("keys", box.checked ? "on" : "off"));
    shown.style.top = "10vh";
    shown.style.left = Math.max(8, (innerWidth - shown.offsetWidth) / 2) + "px";
  };

  const here = () => document.activeElement.closest("[data-doc]") ?? document.querySelector(".doc[data-doc]");
  const copy = async text => {
    try {
      await navigator.clipboard.writeText(text);
      live.say("news", "Copied: " + text);
      live.fade();
    } catch {
      live.say("news", "The browser did not let this page copy: " + text);
    }
  };
  const step = by => {
    const links = [...document.querySelectorAll("main .cover")].filter(e => e.offsetParent);
    const at = links.findIndex(e => e === document.activeElement || e.closest("[data-doc]")?.contains(document.activeElement));
    (links[at + by] ?? links.at(by < 0 ? 0 : -1))?.focus();
  };

  const act = key => {
    const doc = here();
    if (key in fields) {
      if (!doc || !document.querySelector(".btn.new")) return false;
      const address = "/choose?" + new URLSearchParams({ doc: doc.dataset.doc, field: fields[key] });
      const beside = doc.querySelector(`a[href$="field=${fields[key]}"], [name=${fields[key]}]`);
      choices.choose(address, beside ?? doc.querySelector(".cover") ?? doc);
      return true;
    }
    switch (key) {
    case "j": step(1); break;
    case "k": step(-1); break;
    case "c": document.querySelector(".btn.new")?.click(); break;
    case "e": {
      const link = doc?.querySelector(".cover")?.getAttribute("href") ?? "";
      if (link.startsWith("/d/")) location.href = link + "/edit";
      else if (link) location.href = link.replace("/d?", "/edit?");
      else document.querySelector(".side a[href*=edit]")?.click();
      break;
    }
    case "m": document.getElementById("note")?.focus(); break;
    case "y": if (doc) copy(doc.dataset.doc); break;
    case "z": document.querySelector("#news form button")?.click(); break;
    case "g": going = Date.now(); break;
    case "/": document.querySelector(".find input").focus(); break;
    case "?": help(); break;
    default: return false;
    }
    return true;
  };

  document.addEventListener("keydown", event => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") {
      event.preventDefault();
      return choices.palette();
    }
    const typing = target.closest("input:not([type=checkbox]), textarea, select");
    if ((event.ctrlKey || event.metaKey) && key === "Enter" && target.matches("textarea")) return target.form?.requestSubmit();
    if (key === "Escape" && typing && !choices.isOpen()) return target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || typing || choices.isOpen() || key !== "/" && kept.get("keys") === "off") return;
    if (Date.now() - going < 1500 && key in pages) {
      going = 0;
      location.href = pages[key];
    } else if (!act(key)) return;
    event.preventDefault();
  });

  document.addEventListener("click", event => {
    if (event.target.closest("[data-do=keys]")) help();
    const source = event.target.closest("[data-copy]");
    if (source) copy(source.dataset.copy);
    for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
  });
  document.addEventListener("keydown", event => {
    const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
})();
