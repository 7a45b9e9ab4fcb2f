// A served page: the server says when something changed, and what stands in <main> is replaced, without losing what is
// unfolded, what the fields filter, and where the reader is.
"use strict";

async function refresh() {
    const answer = await fetch("/", {cache: "no-store"});
    if (!answer.ok) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const main = document.querySelector("main");
    if (!next || !main) return;
    const open = new Map([...main.querySelectorAll("details[id]")].map((d) => [d.id, d.open]));
    const values = new Map([...main.querySelectorAll("[data-filter]")].map((f) => [f.dataset.filter, f.value]));
    const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.filter : undefined;
    const place = [scrollX, scrollY];
    for (const details of next.querySelectorAll("details[id]"))
        if (open.has(details.id)) details.open = open.get(details.id);
    main.replaceChildren(...next.childNodes);
    for (const field of main.querySelectorAll("[data-filter]"))
        if (values.has(field.dataset.filter)) field.value = values.get(field.dataset.filter);
    setUp(main);
    if (focused) main.querySelector(`[data-filter=${focused}]`)?.focus();
    scrollTo({left: place[0], top: place[1], behavior: "instant"});
    document.body.dataset.refreshed = String(Number(document.body.dataset.refreshed || 0) + 1);
}

addEventListener("DOMContentLoaded", () => {
    const events = new EventSource("/events");
    events.addEventListener("changed", refresh);
});
