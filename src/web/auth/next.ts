/** Where somebody was going when they were asked to sign in. */

/** An address of this origin, or its first page: whoever sends a link must not lead anybody elsewhere by it. */
export function nextOf(asked: string | null, origin: string): string {
  const first = new URL("/", origin);
  const next = asked?.startsWith("/") ? URL.parse(asked, origin) : null;
  return (next?.origin === first.origin ? next : first).href;
}

/** A door's own address that leads there afterwards. */
export const doorTo = (path: string, next: string | null): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path;
