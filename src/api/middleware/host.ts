/**
 * The validated host of a request. The router assumes that a path begins at the twelfth character of the address or
 * later; with a shorter or invalid host it would see a different path than proxies do, so such requests match no route.
 */
const PATH_FROM = "http://a:80".length;
const HOST = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** With its port; null if it is absent or invalid. */
export function hostOf(url: string): string | null {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  if (start < "http://".length || end < PATH_FROM) return null;
  const host = url.slice(start, end);
  return HOST.test(host) ? host : null;
}
