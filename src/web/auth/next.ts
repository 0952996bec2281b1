/** The `next` parameter: the address to return to after signing in. */

/** An address of this origin, or its first page: a crafted link must not redirect to another host. */
export function nextOf(requested: string | null, origin: string): string {
  const home = new URL("/", origin);
  const next = requested?.startsWith("/") ? URL.parse(requested, origin) : null;
  return (next?.origin === home.origin ? next : home).href;
}

export const hrefWithNext = (path: string, next: string | null): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path;
