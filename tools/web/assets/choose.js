// Values to choose among, and the palette, are pages that are shown in a dialog of this page.
const choices = (() => {
  let dialog = null;

  const items = () => [...dialog.querySelectorAll("li > a, li > button")];
  const step = by => {
    const all = items(), at = all.indexOf(document.activeElement);
    (all[(at < 0 && by < 0 ? 0 : at) + by] ?? all.at(by < 0 ? -1 : 0))?.focus();
  };

  const close = () => { dialog?.close(); };
  const open = (name, label) => {
    close();
    const opened = dialog = document.createElement("dialog");
    dialog.className = name;
    dialog.setAttribute("aria-label", label);
    dialog.addEventListener("close", () => { opened.remove(); if (dialog === opened) dialog = null; });
    dialog.addEventListener("click", event => { if (event.target === opened) close(); }); // beside what it shows
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  };

  const fetched = async (address, signal) => {
    const answer = await fetch(address, { signal, headers: { Accept: "text/html" } });
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  // choose shows the choices of a page beside an element.
  const choose = async (address, beside) => {
    let page;
    try {
      page = await fetched(address);
    } catch {
      location.href = address;
      return;
    }
    const found = page.querySelector(".choices"), heading = page.querySelector("main h1");
    if (!found) return live.say("news", page.querySelector("[role=alert]")?.textContent.trim() ?? "There is nothing to choose.");
    const place = beside.getBoundingClientRect(); // before the dialog is there
    const shown = open("pop", heading.textContent);
    const title = document.createElement("h2");
    title.textContent = heading.textContent;
    shown.append(title, found);
    const top = Math.min(place.bottom + 4, innerHeight - shown.offsetHeight - 8);
    shown.style.top = Math.max(8, top) + "px";
    shown.style.left = Math.max(8, Math.min(place.left, innerWidth - shown.offsetWidth - 8)) + "px";
    (found.querySelector("[aria-pressed=true], [aria-current]") ?? items()[0] ?? found.querySelector("input"))?.focus();
  };

  // palette leads to any document and action.
  const palette = () => {
    const shown = open("palette", "Go to, or do");
    shown.innerHTML = `<form role="search" action="/go"><input type="search" name="q" aria-label="Id, title or action" placeholder="Id, title or action…" autocomplete="off"><kbd>esc</kbd></form><div class="found" aria-live="polite"></div>`;
    const input = shown.querySelector("input"), found = shown.querySelector(".found");
    const doc = document.querySelector(".doc[data-doc]")?.dataset.doc ?? "";
    let asking = null;
    const mark = by => {
      const all = items(), at = all.findIndex(e => e.parentElement.getAttribute("aria-selected") === "true");
      const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
      all[at]?.parentElement.removeAttribute("aria-selected");
      next?.parentElement.setAttribute("aria-selected", "true");
      next?.scrollIntoView({ block: "nearest" });
    };
    const ask = async () => {
      asking?.abort();
      asking = new AbortController();
      try {
        const page = await fetched("/go?" + new URLSearchParams({ q: input.value, doc, from: location.pathname + location.search }), asking.signal);
        found.replaceChildren(...page.querySelectorAll(".choices > *"));
        mark(1);
      } catch {
        // Something else was asked for meanwhile, or the server is away.
      }
    };
    input.addEventListener("input", ask);
    shown.addEventListener("keydown", event => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      mark(event.key === "ArrowDown" ? 1 : -1);
    });
    shown.querySelector("form").addEventListener("submit", event => {
      event.preventDefault();
      shown.querySelector("[aria-selected=true] > *")?.click();
    });
    ask();
    input.focus();
  };

  // A digit takes the choice of that place, letters lead to the one that begins with them.
  let typed = "", timer = 0;
  document.addEventListener("keydown", event => {
    if (dialog?.className !== "pop" || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea")) return;
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") step(key === "ArrowDown" ? 1 : -1);
    else if (/^[1-9]$/.test(key)) items()[key - 1]?.click();
    else if (/^\S$/u.test(key)) {
      clearTimeout(timer);
      timer = setTimeout(() => { typed = ""; }, 800);
      typed += key.toLowerCase();
      items().find(e => e.textContent.trim().toLowerCase().startsWith(typed))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);

  document.addEventListener("click", event => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const link = event.target.closest("a[href^='/choose?']");
    if (!link) return;
    event.preventDefault();
    if (link.closest("dialog")) close();
    choose(link.getAttribute("href"), link.isConnected ? link : document.body);
  });

  return { choose, open, close, palette, isOpen: () => dialog !== null };
})();
