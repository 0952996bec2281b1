/** The page to open after a sign-in elsewhere, which this tab remembers meanwhile. */
const KEY = "loquat-next";

export function keepPage(path: string | null): void {
  if (path === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, path);
}

/** Once; null: none. */
export function takePage(): string | null {
  const path = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return path;
}
