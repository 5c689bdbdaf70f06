// Enhancements of pages that work without scripts: answers without a page load, dropped files, Ctrl+Enter.
"use strict";

const here = () => location.pathname + location.search;
let shownHere = here();

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  if (button?.name && !body.has(button.name)) body.append(button.name, button.value); // for browsers before 2023
  const response = await fetch(form.action, { method: "POST", body });
  const found = new DOMParser().parseFromString(await response.text(), "text/html");
  const problem = found.querySelector("#problem");
  if (problem) {
    say(form, problem.textContent);
    return;
  }
  const main = found.querySelector("main");
  const shown = main.querySelector("[autofocus]") || main.querySelector("h1");
  shown.removeAttribute("autofocus");
  for (const part of ["header", "main"]) document.querySelector(part).replaceWith(found.querySelector(part));
  document.title = found.title;
  if (response.redirected) history.pushState(null, "", response.url);
  shownHere = here();
  shown.setAttribute("tabindex", "-1");
  shown.focus({ preventScroll: true });
  const place = main.querySelector("#" + CSS.escape(form.dataset.live)) || shown;
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "nearest", behavior: calm ? "auto" : "smooth" });
}

// Shows an error below a form, whose fields keep their content.
function say(form, sentence) {
  const place = form.querySelector(".said") || form.appendChild(document.createElement("p"));
  place.className = "said warning";
  place.setAttribute("role", "alert");
  place.textContent = sentence;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!("live" in form.dataset)) return;
  event.preventDefault();
  const button = event.submitter;
  const main = document.querySelector("main");
  if (main.getAttribute("aria-busy") === "true") return;
  main.setAttribute("aria-busy", "true");
  send(form, button)
    .catch(() => {
      // The service is unreachable: a normal submit lets the browser report it, and the row's id prevents learning twice.
      delete form.dataset.live;
      form.requestSubmit(button);
    })
    .finally(() => main.removeAttribute("aria-busy"));
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.form) event.target.form.requestSubmit();
});

// Reloads when going back to a page that was replaced, but not for links within the page.
window.addEventListener("popstate", () => here() === shownHere || location.reload());

for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    const place = document.querySelector("[data-drop]");
    if (!place || !event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    place.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) {
      place.querySelector("input").files = event.dataTransfer.files;
      place.closest("form").requestSubmit();
    }
  });
}
