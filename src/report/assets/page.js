// What a page can do beyond being read: filter lists, copy texts, unfold what a link or the printer needs.
// Without it everything is still there: the fields and buttons that need it stay hidden.
"use strict";

// Lists filter by what the bugs carry (data-compiler, data-kind, data-pass) and by all of their text. The texts are read once,
// at the first search: a thousand bugs are some megabytes.
function setUpFilters(root) {
    const bar = root.querySelector(".filters");
    if (!bar) return;
    const bugs = [...root.querySelectorAll("details.bug")];
    const fields = [...bar.querySelectorAll("[data-filter]")];
    const output = bar.querySelector("output");
    const texts = new Map();
    const textOf = (bug) => {
        if (!texts.has(bug)) texts.set(bug, bug.textContent.toLowerCase());
        return texts.get(bug);
    };
    const apply = () => {
        const words = bar.querySelector("[data-filter=text]").value.toLowerCase().split(/\s+/).filter(Boolean);
        let shown = 0;
        for (const bug of bugs) {
            const fits = fields.every((f) => f.dataset.filter === "text" || !f.value || bug.dataset[f.dataset.filter] === f.value)
                && words.every((word) => textOf(bug).includes(word));
            bug.hidden = !fits;
            shown += fits;
        }
        output.textContent = shown === bugs.length ? `${shown} bugs` : `${shown} of ${bugs.length} bugs`;
    };
    for (const field of fields) field.addEventListener("input", apply);
    const fold = bar.querySelector("[data-fold]");
    fold.addEventListener("click", () => {
        const open = fold.textContent === "Unfold all";
        for (const bug of bugs) if (!bug.hidden) bug.open = open;
        fold.textContent = open ? "Fold all" : "Unfold all";
    });
    bar.hidden = false;
    if (fields.some((f) => f.value)) apply();
}

async function copyText(button) {
    const pre = button.parentElement.querySelector("pre");
    try {
        await navigator.clipboard.writeText(pre.textContent);
        button.textContent = "Copied";
    } catch {
        // No permission: the text is selected, for the keyboard.
        getSelection().selectAllChildren(pre);
        button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
}

function setUpCopying(root) {
    for (const button of root.querySelectorAll("button.copy")) {
        button.hidden = false;
        button.addEventListener("click", () => copyText(button));
    }
}

// A link to a bug shows it, folded or filtered away as it may be.
function showTarget() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target || target.tagName !== "DETAILS") return;
    target.hidden = false;
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus({preventScroll: true});
}

function setUp(root) {
    setUpFilters(root);
    setUpCopying(root);
}

addEventListener("DOMContentLoaded", () => {
    setUp(document);
    showTarget();
});
addEventListener("hashchange", showTarget);
addEventListener("keydown", (event) => {
    const search = document.querySelector("[data-filter=text]");
    if (event.key === "/" && search && !event.ctrlKey && !event.metaKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
        event.preventDefault();
        search.focus();
    }
});
// Paper cannot be unfolded.
let folded = [];
addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
});
