// Lists and searches answer while a person types. The address is kept up, so that the page can
// be loaded again, kept and gone back to.
(() => {
  let asking = null, timer = 0, entered = false;

  // load puts the page at an address in the place of this one, but for what is typed in its
  // header. Only the last one that is asked for is shown.
  const load = async (address, put) => {
    asking?.abort();
    live.page.asking?.abort();
    asking = new AbortController();
    try {
      const answer = await fetch(address, { signal: asking.signal, headers: { Accept: "text/html" } });
      if (answer.status < 500) put(new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch {
      // Something else was asked for meanwhile, or the server is away: Enter asks without this script.
    }
  };

  const enter = fresh => {
    for (const part of ["main", "header nav"]) document.querySelector(part).replaceWith(fresh.querySelector(part));
    document.title = fresh.title;
    live.page.rev = fresh.body.dataset.rev ?? "";
  };

  const ask = form => {
    const asked = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
    const address = `${form.getAttribute("action")}?${asked}`;
    const here = form.getAttribute("action") === location.pathname;
    load(address, fresh => {
      if (here && form.closest("main")) live.show(fresh);
      else enter(fresh);
      history[here || entered ? "replaceState" : "pushState"](null, "", address);
      entered = true;
      live.say("found", document.querySelector("main [role=status], main [role=alert]")?.textContent ?? "");
    });
  };

  document.addEventListener("input", event => {
    const form = event.target.closest("form[data-as-you-type]");
    if (!form) return;
    clearTimeout(timer);
    if (/^[a-z]$/i.test(form.elements.q?.value ?? "")) return; // it begins too many words to be of use
    timer = setTimeout(ask, 120, form);
  });
  window.addEventListener("popstate", () => {
    entered = false;
    load(location.href, enter);
  });
})();
