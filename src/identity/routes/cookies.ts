/** The cookies of sign-in sessions and of known browsers. */
import { PREFIX } from "./offered-routes.ts";

export const SESSION_COOKIE = "svc_session";
export const SESSION_SECONDS = 30 * 86_400;
const COOKIE_SECONDS = 400 * 86_400; // the most that browsers keep; the session's own record says when it ends

/** One cookie of a request as `name=value`, or null. */
export const cookieOf = (headers: Headers, name: string): string | null =>
  (headers.get("cookie") ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`)) ?? null;

/** Kept as long as browsers allow, and sent only to the identity routes. */
export const cookieWith = (name: string, value: string, isSecure: boolean): string =>
  `${name}=${value}; Max-Age=${COOKIE_SECONDS}; Path=${PREFIX}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/** The library's session cookie, kept as long as browsers allow. */
export const withMaxAge = (cookie: string): string =>
  cookie.replace(`Max-Age=${SESSION_SECONDS}`, `Max-Age=${COOKIE_SECONDS}`);
