/**
 * The host that a request names, as pages may repeat it. The router takes a path to begin no sooner than at the twelfth
 * character of an address, so that with a shorter host, or with one that is none, it would see another path than every
 * proxy before it: such a request reaches no route.
 */
const PATH_FROM = "http://a:80".length;
const HOST = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/** With its port; null where there is none or it is no host. */
export function hostOf(url: string): string | null {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  if (start < "http://".length || end < PATH_FROM) return null;
  const host = url.slice(start, end);
  return HOST.test(host) ? host : null;
}
