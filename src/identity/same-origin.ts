/** Same-origin check: a page of another site must not act with a user's cookies. */
import { isIP } from "node:net";
import { hostname } from "node:os";
import { Refusal } from "../errors.ts";

/**
 * Names that a foreign domain cannot take over: those of the machine itself, and addresses, since a browser that shows a
 * page of an address got it from there.
 */
const OWN_NAMES = ["localhost", hostname().toLowerCase(), `${hostname().toLowerCase()}.local`];
const isOwnName = (name: string) => OWN_NAMES.includes(name) || isIP(name.replace(/^\[|\]$/g, "")) !== 0;

/**
 * Browsers send the origin of a request; one with a cookie and without an origin is refused. `Host` proves nothing,
 * because anyone can point a domain at this server.
 */
export function requireSameOrigin(request: Request, origin: string): void {
  const { headers, method } = request;
  refuseForeign(request, origin);
  if (method !== "GET" && !headers.has("origin") && headers.has("cookie")) throw foreign(origin);
}

/** Refuses what a browser says comes from another site. Programs that are no browser say nothing. */
export function refuseForeign({ headers, method, url }: Request, origin: string): void {
  const from = headers.get("origin");
  const isElsewhere = method !== "GET" && from !== null && !isHere(from, { origin, url });
  if (isElsewhere || headers.get("sec-fetch-site") === "cross-site") throw foreign(origin);
}

function isHere(from: string, { origin, url }: { origin: string; url: string }): boolean {
  const asked = new URL(url);
  return from === new URL(origin).origin || (from === asked.origin && isOwnName(asked.hostname));
}

const foreign = (origin: string) =>
  new Refusal(
    "csrf_failed",
    `This request does not come from ${origin}. If browsers reach this server at another address, set LOQUAT_URL.`,
  );
