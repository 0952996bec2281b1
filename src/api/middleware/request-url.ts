/**
 * The address of a request. The router takes for the path what follows the first slash from the twelfth character of the
 * address on. Of a short host, such as `tts`, that is not where the path begins, so its address is written longer; a request
 * with an invalid host matches no route, since it could have another path here than it has for a proxy. The zone of an IPv6
 * address, as in `[fe80::1%eth0]`, means something to its client alone and is no part of a URL.
 */
const PATH_FROM = "http://a:80".length;
const HOST = /^(?:[a-z0-9._-]{1,255}|\[[0-9a-f:.]{2,45}(?:%[a-z0-9._~%-]{1,64})?\])(?::\d{1,5})?$/i;
const REPEATED_SLASHES = /\/{2,}/g;

/** With its port; null if it is absent or invalid. */
export function hostOf(url: string): string | null {
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  if (start < "http://".length || end === -1) return null;
  const host = url.slice(start, end);
  return HOST.test(host) ? host : null;
}

/** For ports without a router. Empty where the host is invalid. */
export function pathOf(url: string): string {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  if (start !== 0 && hostOf(url) === null) return "";
  const end = url.indexOf("?", start);
  return end === -1 ? url.slice(start) : url.slice(start, end);
}

/**
 * Gives the request the address that the router understands: with a port, if the host is short, without the zone of an
 * address, without the repeated slashes of a base URL that ends in one, for paths below /v1, and without the path `base` of
 * the server at its proxy. The request stays the one that arrived, since sockets and addresses of clients belong to it.
 */
export function makeRoutable(request: Request, base: string): void {
  const { url } = request;
  const start = url.indexOf("//") + 2;
  const end = url.indexOf("/", start);
  const isBelow = base !== "" && url.startsWith(`${base}/`, end);
  const isShort = end !== -1 && end < PATH_FROM && hostOf(url) !== null;
  const hasRepeated = end !== -1 && url.indexOf("//", end) !== -1;
  const hasZone = url[start] === "[" && url.lastIndexOf("%", end) > start && hostOf(url) !== null;
  if (!isShort && !hasRepeated && !isBelow && !hasZone) return;
  const origin = hasZone ? withoutZone(url.slice(0, end)) : url.slice(0, end);
  const routable = `${isShort ? lengthened(origin) : origin}${withoutRepeatedSlashes(url.slice(isBelow ? end + base.length : end))}`;
  Object.defineProperty(request, "url", { value: routable, configurable: true });
}

const withoutZone = (origin: string): string =>
  origin.slice(0, origin.indexOf("%")) + origin.slice(origin.indexOf("]"));

/** The same origin with its port, or with a zero before it. */
function lengthened(origin: string): string {
  const port = origin.indexOf(":", "https://".length);
  if (port !== -1) return `${origin.slice(0, port)}:0${origin.slice(port + 1)}`;
  return `${origin}${origin.startsWith("https:") ? ":443" : ":80"}`;
}

function withoutRepeatedSlashes(target: string): string {
  const query = target.indexOf("?");
  const path = (query === -1 ? target : target.slice(0, query)).replace(REPEATED_SLASHES, "/");
  return path.startsWith("/v1/") ? path + (query === -1 ? "" : target.slice(query)) : target;
}
