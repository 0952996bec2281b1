/** What the library receives of a request, and what a client receives of its response. */
import type { Session } from "../../accounts/principal.ts";
import { CHALLENGE_COOKIE, cookieOf, STATE_COOKIE, sessionCookieOf, withMaxAge } from "./cookies.ts";
import type { Input } from "./input.ts";
import { type OfferedRoute, PREFIX } from "./offered-routes.ts";

/** Set by this server only: a client's header of that name is not forwarded. */
export const IP_HEADER = "x-client-address";

type ForwardedCall = {
  route: OfferedRoute;
  input: Input;
  session?: Session | null;
  request: Request;
  ip: string | null;
};

/** A new request with the checked fields and known headers only. */
export function libraryRequest(call: ForwardedCall, origin: string): Request {
  const { route, input, request, ip } = call;
  const { path, method } = route;
  const url = new URL(PREFIX + path, origin);
  const headers = new Headers({ "content-type": "application/json" });
  if (ip !== null) headers.set(IP_HEADER, ip);
  headers.set("user-agent", request.headers.get("user-agent")?.slice(0, 256) ?? "");
  const cookie = cookieFor(call);
  if (cookie !== null) headers.set("cookie", cookie);
  if (path === "verify-email") {
    url.searchParams.set("token", input.token!);
    return new Request(url.href, { headers });
  }
  if (method === "GET") {
    for (const [name, value] of Object.entries(input)) url.searchParams.set(name, value);
    return new Request(url.href, { headers });
  }
  const { organizationName: _, ...fields } = input;
  const body = path === "change-password" ? { ...fields, revokeOtherSessions: true } : fields;
  return new Request(url.href, { method, headers, body: JSON.stringify(body) });
}

/** The only one that the route is about. */
function cookieFor({ route, session, request: { headers } }: ForwardedCall): string | null {
  if (route.lands) return cookieOf(headers, STATE_COOKIE);
  const isChallenged = route.needsSession === "maybe" && !session;
  return isChallenged ? cookieOf(headers, CHALLENGE_COOKIE) : sessionCookieOf(headers);
}

/** Removes secrets: a session is named by its id instead of its token. */
export function responseBody(
  path: string,
  body: Record<string, unknown> | null,
  session: Session | null,
): unknown {
  if (path === "list-sessions")
    return (body as unknown as { id: string }[]).map((row) => ({
      ...row,
      token: row.id,
      current: row.id === session?.id,
    }));
  if (body === null || !("token" in body)) return body;
  const { token: _, ...rest } = body;
  return rest;
}

export function jsonResponse(body: unknown, cookies: string[]): Response {
  const response = Response.json(body, { headers: { "cache-control": "no-store" } });
  for (const cookie of cookies) response.headers.append("set-cookie", withMaxAge(cookie));
  return response;
}
