// An open page follows the documents. The server tells which ones have changed; a page that
// may show one of them is asked for again, and what differs is put in its place. What a person
// is typing, has selected or has the focus on stays.
const live = (() => {
  const page = {
    rev: document.body.dataset.rev ?? "", // the state of the documents that it shows
    behind: false, // there is a later one
    held: false, // a part of it is behind, since a person is at work there
    dragged: null, // what a person drags
    asking: null, timer: 0, took: 0,
  };
  const regions = root => [...root.querySelectorAll("[data-live]")];

  // shows reports whether the page may show one of the documents that have changed.
  const shows = news => {
    if (news.many || !document.querySelector("main .doc[data-id]") || document.querySelector("main a[href^='/d?']")) return true;
    const ids = new Set(news.changed);
    return [...document.querySelectorAll("[data-id], main a[href^='/d/']")]
      .some(e => ids.has(e.dataset.id ?? decodeURIComponent(new URL(e.href.baseVal ?? e.href, location).pathname.slice(3))));
  };

  const heard = news => {
    if (news.rev === page.rev || "posted" in document.body.dataset) return; // the answer to a form cannot be asked for again
    if (page.rev !== "" && news.changed && !shows(news)) {
      page.rev = news.rev;
      return;
    }
    page.behind = true;
    later();
  };

  // later asks for a page that is behind once changes have come to rest for a moment. A page
  // that takes long to make is asked for less often.
  const later = () => {
    if (!page.behind || page.timer || page.asking || document.hidden || page.dragged?.isConnected) return;
    page.timer = setTimeout(() => { page.timer = 0; refresh(); }, Math.max(50, 4 * page.took));
  };

  const refresh = async () => {
    page.behind = false;
    const asking = page.asking = new AbortController();
    const began = performance.now();
    try {
      const answer = await fetch(location.href, { signal: asking.signal, headers: { Accept: "text/html" } });
      const text = await answer.text();
      asking.signal.throwIfAborted();
      page.asking = null;
      if (page.dragged?.isConnected) page.behind = true;
      else if (answer.status < 500) show(new DOMParser().parseFromString(text, "text/html"));
    } catch {
      // The server is away, or something else was asked for: the next event tries again.
    }
    page.took = performance.now() - began;
    page.asking = null;
    later();
  };

  // show puts what differs in its place.
  const show = fresh => {
    times.show(document);
    times.show(fresh);
    if (page.asking) { // its answer may be older than this one
      page.asking.abort();
      page.behind = true;
    }
    const waited = page.held;
    page.held = false;
    const from = regions(fresh), to = regions(document);
    if (from.length !== to.length) {
      const old = document.querySelector("main"), main = fresh.querySelector("main");
      if (busy(old)) return hold();
      old.replaceWith(main);
    } else {
      for (const [i, region] of to.entries()) {
        if (region.isEqualNode(from[i])) continue;
        if (busy(region)) {
          hold();
          continue;
        }
        replace(region, from[i]);
      }
    }
    document.title = fresh.title;
    const rev = fresh.body.dataset.rev ?? "";
    const undo = document.querySelector("#news form"); // which goes by itself
    if (!page.held && (waited || rev !== page.rev && !undo)) say("news", ""); // but not what was said of this very state
    page.rev = rev;
  };

  const hold = () => {
    page.held = true;
    say("news", "This page has changed. The change will be shown when you have finished here.");
  };
  const release = () => setTimeout(() => {
    if (!page.held || page.asking || [...regions(document)].some(busy)) return;
    page.behind = true;
    later();
  });

  // busy reports whether a person is at work in a part of the page.
  const busy = part => {
    const field = document.activeElement;
    if (part.contains(field) && field.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return true;
    if (part.querySelector("[data-dirty], details.menu[open]")) return true;
    const chosen = getSelection();
    return !chosen.isCollapsed && chosen.containsNode(part, true);
  };

  const scrolling = part => [part, ...part.querySelectorAll("[tabindex], .cards, pre")];
  const folds = part => [...part.querySelectorAll("details.fold")];
  const replace = (old, fresh) => {
    const open = folds(old).map(fold => fold.open);
    folds(fresh).forEach((fold, i) => { fold.open ||= open[i] ?? false; });
    const places = scrolling(old).map(e => [e.scrollLeft, e.scrollTop]);
    const focus = old.contains(document.activeElement) ? nameOf(document.activeElement) : "";
    old.replaceWith(fresh);
    scrolling(fresh).forEach((e, i) => { if (places[i]) [e.scrollLeft, e.scrollTop] = places[i]; });
    if (focus) [fresh, ...fresh.querySelectorAll("*")].find(e => nameOf(e) === focus)?.focus({ preventScroll: true });
  };
  const nameOf = e => [e.tagName, e.id, e.getAttribute("href"), e.getAttribute("name"), e.getAttribute("value"), e.getAttribute("aria-label"), e.className].join(" ");

  const say = (id, text) => {
    const said = document.createElement("p");
    said.textContent = text;
    document.getElementById(id).replaceChildren(...text ? [said] : []);
  };
  // tell shows what an answer says of a change. It goes after a while, unless a person is at it.
  const tell = fresh => {
    document.getElementById("news").replaceChildren(...fresh.childNodes);
    fade();
  };
  let fading = 0;
  const fade = () => {
    clearTimeout(fading);
    fading = setTimeout(() => {
      const news = document.getElementById("news");
      if (page.held || news.matches(":hover, :focus-within")) fade();
      else news.replaceChildren();
    }, 10000);
  };
  fade();

  // One of a browser's pages listens for all of them, since a browser opens few connections
  // to one server. Where pages cannot agree on one, those listen that can be seen.
  const channel = new BroadcastChannel("issues-index");
  let last = null;
  const listen = refused => {
    const stream = new EventSource("/events");
    stream.onmessage = event => {
      last = JSON.parse(event.data);
      channel.postMessage(last);
      heard(last);
    };
    stream.onerror = () => {
      if (stream.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
      say("news", "This page is not told of changes. Load it again to see the latest state.");
      refused?.(); // another page may try
    };
    return stream;
  };
  channel.onmessage = event => {
    if (event.data === "state?") {
      if (last) channel.postMessage({ rev: last.rev });
    } else heard(event.data);
  };
  if (navigator.locks) {
    channel.postMessage("state?");
    navigator.locks.request("issues-index", () => new Promise(refused => listen(refused)));
  } else {
    let stream = null;
    const turn = () => {
      if (!document.hidden) stream ??= listen();
      else { stream?.close(); stream = null; }
    };
    document.addEventListener("visibilitychange", turn);
    turn();
  }
  document.addEventListener("visibilitychange", later);
  // Figures of calls change without a document.
  setInterval(() => {
    if (!document.querySelector("main [data-every]")) return;
    page.behind = true;
    later();
  }, 10e3);
  document.addEventListener("focusout", release);
  document.addEventListener("selectionchange", release);
  document.addEventListener("toggle", release, true); // which does not bubble

  const again = () => {
    page.behind = true;
    later();
  };
  return { show, say, tell, fade, later, again, page };
})();
