/** Values that this browser keeps from one visit to the next. */

/** What `check` makes of what was kept: null where nothing was, or what is no JSON. Users may edit a browser's storage. */
export function readKept<Value>(name: string, check: (kept: unknown) => Value): Value {
  try {
    return check(JSON.parse(localStorage.getItem(name) ?? "null"));
  } catch {
    return check(null);
  }
}

/** Where storage is full or switched off, the value lasts as long as the page. */
export function keep(name: string, value: unknown): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // as described
  }
}
