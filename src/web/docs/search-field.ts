/** The search of the documentation: what is typed is found at once, chosen by arrows and Enter; "/" and Ctrl+K lead to it. */

type Hit = { path: string; title: string; place: string; excerpt: string };

const PAUSE_MS = 120;

export function startSearch(): void {
  const field = document.querySelector<HTMLInputElement>(".search input");
  const list = document.getElementById("hits");
  if (!field || !list) return;
  field.role = "combobox";
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-autocomplete", "list");
  const choice = openChoice(field, list);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const find = async () => {
    const turn = ++asked;
    const hits = field.value.trim() === "" ? [] : await hitsFor(field.value);
    if (turn === asked) choice.show(hits);
  };
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void find(), PAUSE_MS);
  });
  field.addEventListener("keydown", choice.keyDown);
  field.addEventListener("blur", () => setTimeout(choice.hide, PAUSE_MS)); // a click on a hit comes first
  document.addEventListener("keydown", (event) => {
    const isFree = !(event.target instanceof HTMLInputElement);
    const isCalled = (event.key === "/" && isFree) || (event.key === "k" && (event.ctrlKey || event.metaKey));
    if (!isCalled) return;
    event.preventDefault();
    field.focus();
    field.select();
  });
}

const base = (): string => document.querySelector<HTMLMetaElement>('meta[name="loquat-base"]')?.content ?? "";

/** Without a connection nothing is found; the form still works when it is back. */
async function hitsFor(text: string): Promise<Hit[]> {
  try {
    const response = await fetch(`${base()}/docs/search.json?q=${encodeURIComponent(text)}`);
    return ((await response.json()) as { data: Hit[] }).data;
  } catch {
    return [];
  }
}

/** The hits below the field, one of which may be chosen. */
function openChoice(field: HTMLInputElement, list: HTMLElement) {
  let chosen = -1;
  const options = () => [...list.querySelectorAll<HTMLElement>('[role="option"]')];
  const choose = (index: number) => {
    chosen = index;
    for (const [at, option] of options().entries()) {
      option.ariaSelected = String(at === index);
      if (at === index) option.scrollIntoView({ block: "nearest" });
    }
    if (index < 0) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", `hit-${index}`);
  };
  const hide = () => {
    list.hidden = true;
    field.ariaExpanded = "false";
    choose(-1);
  };
  const show = (hits: Hit[]) => {
    list.replaceChildren(...hits.map(optionOf));
    list.hidden = hits.length === 0;
    field.ariaExpanded = String(hits.length > 0);
    choose(-1);
  };
  const keyDown = (event: KeyboardEvent) => {
    const all = options();
    if (event.key === "Escape" && !list.hidden) hide();
    else if (event.key === "ArrowDown" && all.length > 0) choose((chosen + 1) % all.length);
    else if (event.key === "ArrowUp" && all.length > 0) choose((chosen <= 0 ? all.length : chosen) - 1);
    else if (event.key === "Enter" && chosen >= 0) location.assign(all[chosen]?.dataset.href ?? "");
    else return;
    event.preventDefault();
  };
  hide();
  return { show, hide, keyDown };
}

function optionOf({ path, title, place, excerpt }: Hit, index: number): HTMLElement {
  const option = document.createElement("div");
  option.role = "option";
  option.id = `hit-${index}`;
  option.dataset.href = `${base()}/docs/${path}`;
  const [name, where, text] = ["strong", "small", "span"].map((tag) => document.createElement(tag));
  name!.textContent = title;
  where!.textContent = place;
  text!.textContent = excerpt;
  option.append(name!, " ", where!, text!);
  option.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    location.assign(option.dataset.href ?? "");
  });
  return option;
}
