/** The `next` parameter: the address to return to after signing in. */

/**
 * The address of a page of this server, below its `base` path, or of its first page: a crafted link must not redirect to
 * another host.
 */
export function nextOf(requested: string | null, origin: string, base = ""): string {
  const next = requested?.startsWith("/") ? URL.parse(requested, origin) : null;
  return next?.origin === origin ? origin + base + next.href.slice(origin.length) : `${origin}${base}/`;
}

export const hrefOfInvitation = (id: string): string => `/invitation?id=${encodeURIComponent(id)}`;

export const hrefWithNext = (path: string, next: string | null): string =>
  next ? `${path}?next=${encodeURIComponent(next)}` : path;
