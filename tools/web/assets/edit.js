// What forms do is done without loading the page, cards of a board can be dragged, and what a
// person has typed is not left by mistake.
(() => {
  // send posts a form and returns the page that it leads to.
  const send = async (address, data) => {
    const answer = await fetch(address, { method: "POST", body: new URLSearchParams(data) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok) throw new Error(page.querySelector("[role=alert]")?.textContent.trim().replace(/\s+/g, " ") || "The server refused it.");
    return page;
  };
  let writing = false; // one write at a time, for each is of a version that this page shows
  const write = async (address, data, done, failed) => {
    if (writing) return live.say("news", "The last change is still being written. Try again.");
    writing = true;
    try {
      const page = await send(address, data);
      live.show(page);
      done();
      document.getElementById("news").replaceWith(page.getElementById("news")); // what was changed, and how to take it back
    } catch (error) {
      failed();
      live.say("news", error instanceof TypeError ? "Nothing was written: the server does not answer." : error.message);
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

  const cardOf = doc => [...document.querySelectorAll(".card [name=doc]")].find(i => i.value === doc)?.closest(".card");

  // move moves a card at once, and back if that is refused.
  const move = (card, status) => {
    if (writing) return live.say("news", "The last change is still being written. Try again.");
    const form = card.querySelector("form"), was = form.elements.status.querySelector("[selected]")?.value ?? "";
    const column = [...document.querySelectorAll("[data-status]")].find(c => c.dataset.status === status);
    const from = card.parentElement, next = card.nextElementSibling, doc = form.elements.doc.value;
    form.elements.status.value = status;
    const focusCard = () => focus(cardOf(doc)?.querySelector("a"));
    write(form.action, new FormData(form), focusCard, () => {
      form.elements.status.value = was;
      from.insertBefore(card, next);
      focusCard();
    });
    column?.querySelector(".cards").prepend(card);
    focusCard();
  };

  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.id === "tick" && event.submitter) {
      event.preventDefault();
      tick(form, event.submitter);
    } else if (form.matches(".move form")) {
      event.preventDefault();
      document.activeElement.blur(); // a part of the page with a field in use is not replaced
      move(form.closest(".card"), form.elements.status.value);
    } else if (form.matches("#news form") && form.elements.board) {
      event.preventDefault();
      write(form.action, new FormData(form), () => {}, () => {});
    } else delete form.dataset.dirty;
  });

  document.addEventListener("keydown", event => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const card = event.target.closest("[data-status] .card");
    if (!by || !event.shiftKey || !card || event.target.matches("select, input")) return;
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
    event.dataTransfer.setData("text/plain", card.querySelector("[name=doc]").value);
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
    const card = cardOf(dragged.querySelector("[name=doc]").value);
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
