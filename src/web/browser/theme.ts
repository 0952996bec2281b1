/** The colour scheme: the system's, or the one chosen in this browser. It is the `data-theme` of the document. */

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = "loquat-theme";
const listeners = new Set<() => void>();
const systemIsDark = () => matchMedia("(prefers-color-scheme: dark)");

/** Storage may be blocked: then the choice lasts as long as the page. */
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? "system";
  } catch {
    return "system";
  }
}

let chosen: Theme = "system";

/** Before the first render, so that the page does not change its colours. */
export function startTheme(): void {
  readTheme();
  systemIsDark().addEventListener("change", apply);
}

/** As it is stored now: another page may have chosen. */
export function readTheme(): void {
  chosen = stored();
  apply();
}

export function chooseTheme(theme: Theme): void {
  chosen = theme;
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {}
  apply();
}

function apply(): void {
  document.documentElement.dataset.theme = schemeNow();
  for (const listener of listeners) listener();
}

/** The scheme on the page. */
export function schemeNow(): "light" | "dark" {
  if (chosen !== "system") return chosen;
  return systemIsDark().matches ? "dark" : "light";
}

export const themeNow = (): Theme => chosen;

/** Returns what ends it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
