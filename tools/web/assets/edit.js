// What forms do is done without loading the page, cards of a board can be dragged, and what a
// person has typed is not left by mistake.
(() => {
  let writing = false; // one write at a time, for each is of a version that this page shows

  // write posts a form, and shows the page that it leads to: in place of this one where it is the
  // same. failed puts back what was shown before.
  const write = async (address, data, done, failed) => {
    if (writing) {
      failed();
      return live.say("news", "The last change is still being written. Try again.");
    }
    writing = true;
    try {
      const answer = await fetch(address, { method: "POST", body: new URLSearchParams(data) });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.getElementById("conflict")) throw new Error("It was changed meanwhile, and nothing was written. Look at it, and change it again.");
      if (!answer.ok) throw new Error(page.querySelector("[role=alert]")?.textContent.trim().replace(/\s+/g, " ") || "The server refused it.");
      if (new URL(answer.url).pathname !== location.pathname) {
        location.href = answer.url;
        return;
      }
      live.show(page);
      done();
      live.tell(page.getElementById("news")); // what was changed, and how to take it back
    } catch (error) {
      failed();
      live.say("news", error instanceof TypeError ? "Nothing was written: the server does not answer." : error.message);
      live.again();
    } finally {
      writing = false;
    }
  };

  // An answer that comes late leaves the focus where a person has moved it meanwhile.
  const focus = element => { if (document.activeElement === document.body) element?.focus(); };

  const tick = (form, box) => {
    const checked = box.getAttribute("aria-checked");
    write(form.action, new FormData(form, box),
      () => focus(document.querySelector(`button.box[value="${box.value}"]`)),
      () => box.setAttribute("aria-checked", checked));
    box.setAttribute("aria-checked", checked === "true" ? "false" : "true");
  };

  const cardOf = doc => document.querySelector(`.card[data-doc="${CSS.escape(doc)}"]`);

  // move moves a card at once, and back if that is refused.
  const move = (card, status) => {
    if (writing) return live.say("news", "The last change is still being written. Try again.");
    const form = card.querySelector("form"), { doc } = card.dataset, data = new FormData(form);
    const column = [...document.querySelectorAll("[data-status]")].find(c => c.dataset.status === status);
    const from = card.parentElement, next = card.nextElementSibling;
    data.set("status", status);
    const focusCard = () => {
      const moved = cardOf(doc), fold = moved?.closest("details.fold");
      if (fold) fold.open = true; // what cannot be begun is folded
      focus(moved?.querySelector("a"));
    };
    write(form.action, data, focusCard, () => {
      from.insertBefore(card, next);
      focusCard();
    });
    column?.querySelector(".cards").prepend(card);
    focusCard();
  };

  document.addEventListener("submit", event => {
    const form = event.target, { submitter } = event;
    if (form.method !== "post" || form.matches(".edit, [action='/sign-out']")) {
      delete form.dataset.dirty;
      return;
    }
    event.preventDefault();
    if (form.id === "tick") return tick(form, submitter);
    const back = document.activeElement.closest("form")?.elements.namedItem(document.activeElement.name)?.id;
    document.activeElement.blur(); // a part of the page with a field in use is not replaced
    if (form.matches(".move form")) {
      form.closest("details").open = false;
      return move(form.closest(".card"), submitter.value);
    }
    const doc = form.elements.doc?.value, data = new FormData(form, submitter);
    choices.close();
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
    write(form.action, data, () => {
      form.querySelector("textarea")?.form.reset();
      focus(document.getElementById(back ?? "") ?? document.querySelector(`main [data-doc="${CSS.escape(doc ?? "")}"] .cover`));
    }, () => { if (form.isConnected && form.matches(".set")) form.reset(); });
  });

  // A field that is changed in place is written as soon as another value is chosen.
  document.addEventListener("change", event => {
    if (event.target.matches(".set select, .set input:not([type=hidden])")) event.target.form.requestSubmit();
  });

  document.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const card = event.target.closest("[data-status] .card");
    if (!by || !event.shiftKey || !card) return;
    event.preventDefault();
    const columns = [...document.querySelectorAll("[data-status]")];
    const to = columns[columns.indexOf(card.closest("[data-status]")) + by];
    if (to) move(card, to.dataset.status);
  });

  // A card is dropped on the column that is above or below the pointer, however long it is.
  const under = event => [...document.querySelectorAll("[data-status]")].find(c => {
    const at = c.getBoundingClientRect();
    return event.clientX >= at.left && event.clientX <= at.right;
  });
  const mark = column => {
    for (const c of document.querySelectorAll("[data-status].over")) if (c !== column) c.classList.remove("over");
    column?.classList.add("over");
  };
  document.addEventListener("dragstart", event => {
    const card = event.target.closest?.("[data-status] .card");
    if (!card) return;
    live.page.dragged = card; // a board that is replaced would end the drag
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", card.dataset.doc);
  });
  document.addEventListener("dragover", event => {
    if (!live.page.dragged || !event.target.closest?.(".board")) return;
    event.preventDefault();
    mark(under(event));
  });
  document.addEventListener("drop", event => {
    const dragged = live.page.dragged, column = dragged && event.target.closest?.(".board") ? under(event) : null;
    if (!column) return;
    event.preventDefault();
    const card = cardOf(dragged.dataset.doc);
    if (card && card.closest("[data-status]") !== column) move(card, column.dataset.status);
  });
  document.addEventListener("dragend", () => { live.page.dragged = null; mark(null); live.later(); });

  document.addEventListener("input", event => {
    const form = event.target.closest("form[data-guard]");
    if (form) form.dataset.dirty = "";
  });
  document.addEventListener("click", event => {
    if (event.target.closest("a[data-discard]")) for (const form of document.querySelectorAll("[data-dirty]")) delete form.dataset.dirty;
  });
  addEventListener("beforeunload", event => { if (document.querySelector("form[data-dirty]")) event.preventDefault(); });
})();
