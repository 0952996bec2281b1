/** Whether a request comes from a page of this server. A page of another site may not act for whoever has a cookie here. */
import { Refusal } from "../errors.ts";

/** Names that lead to the machine they are asked on, which nobody else's domain can be made to be. */
const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Browsers say where a request comes from; what says nothing of it and has a cookie is no browser that we know. `Host`
 * proves nothing: a domain of anybody's may be pointed at this server.
 */
export function requireSameOrigin(request: Request, origin: string): void {
  const { headers, method, url } = request;
  if (headers.get("sec-fetch-site") === "cross-site") throw foreign(origin);
  if (method === "GET") return;
  const from = headers.get("origin");
  if (from === null ? headers.has("cookie") : !isHere(from, { origin, url })) throw foreign(origin);
}

function isHere(from: string, { origin, url }: { origin: string; url: string }): boolean {
  const asked = new URL(url);
  return from === new URL(origin).origin || (from === asked.origin && LOOPBACK.includes(asked.hostname));
}

const foreign = (origin: string) =>
  new Refusal(
    "csrf_failed",
    `This request comes from another site than ${origin}. If browsers find this server elsewhere, set LOQUAT_URL.`,
  );
