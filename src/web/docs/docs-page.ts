/** What the pages of the documentation do in a browser; without it they can be read, and searched by the form. */
import { copyText } from "../browser/clipboard.ts";
import { readTheme, startTheme } from "../browser/theme.ts";
import { startSearch } from "./search-field.ts";
import { startTrying } from "./try-it.ts";

/** Earlier versions had operations at `/docs#/TAG/OPERATION`. */
function followOldAddress(): void {
  const operation = /^#\/[\w -]+\/(\w+)$/.exec(decodeURI(location.hash))?.[1];
  const root = location.pathname.endsWith("/docs") ? `${location.pathname}/api` : location.pathname;
  if (operation) location.replace(`${root}/${operation}`);
}

const LANGUAGE_KEY = "loquat-docs-language";

/** Storage may be blocked. */
function storedLanguage(): string | null {
  try {
    return localStorage.getItem(LANGUAGE_KEY);
  } catch {
    return null;
  }
}

/** Of examples in several languages one is shown, by buttons; the choice is kept. */
function showOneLanguage(): void {
  const figures = [...document.querySelectorAll<HTMLElement>(".languages > figure")];
  const buttons = figures.map((figure) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = figure.dataset.language ?? "";
    return button;
  });
  const show = (language: string) => {
    for (const [index, figure] of figures.entries()) {
      figure.hidden = figure.dataset.language !== language;
      buttons[index]?.setAttribute("aria-pressed", String(!figure.hidden));
    }
  };
  for (const button of buttons)
    button.addEventListener("click", () => {
      const language = button.textContent ?? "";
      show(language);
      try {
        localStorage.setItem(LANGUAGE_KEY, language);
      } catch {}
    });
  const names = figures.map(({ dataset }) => dataset.language ?? "");
  const first = names[0];
  if (first === undefined) return;
  const bar = document.createElement("div");
  bar.className = "language-bar";
  bar.role = "group";
  bar.ariaLabel = "Language of the examples";
  bar.append(...buttons);
  figures[0]?.before(bar);
  show(names.find((name) => name === storedLanguage()) ?? first);
}

const COPIED_MS = 1500;

function addCopyButton(block: HTMLPreElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = block.querySelector("code")?.textContent ?? "";
    button.textContent = (await copyText(text.trimEnd())) ? "Copied" : "Not allowed";
    setTimeout(() => {
      button.textContent = "Copy";
    }, COPIED_MS);
  });
  const frame = document.createElement("div");
  frame.className = "block";
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Marks the section that is read in the list of those on the page. */
function followReading(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".contents a")];
  if (links.length === 0) return;
  const headings = links.map(({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))));
  const mark = () => {
    const read = headings.findLastIndex(
      (heading) => heading && heading.getBoundingClientRect().top < innerHeight / 4,
    );
    for (const [index, link] of links.entries())
      if (index === Math.max(0, read)) link.setAttribute("aria-current", "location");
      else link.removeAttribute("aria-current");
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
}

startTheme();
addEventListener("storage", readTheme);
followOldAddress();
startSearch();
showOneLanguage();
for (const block of document.querySelectorAll("pre")) addCopyButton(block);
startTrying();
followReading();
