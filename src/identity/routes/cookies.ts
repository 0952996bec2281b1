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

/** The session cookie of a request, or null: the library would take other spellings of the same signature for it too. */
export function sessionCookieOf(headers: Headers): string | null {
  const cookie = cookieOf(headers, SESSION_COOKIE);
  return cookie !== null && isCanonical(cookie.slice(SESSION_COOKIE.length + 1)) ? cookie : null;
}

/** Whether it is written as the library writes it: `token.signature` in base64, escaped once. */
function isCanonical(value: string): boolean {
  const signature = unescaped(value).split(".").at(-1)!;
  const isEscapedOnce = encodeURIComponent(unescaped(value)) === value;
  return isEscapedOnce && Buffer.from(signature, "base64").toString("base64") === signature;
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return "";
  }
}

/** Kept as long as browsers allow, and sent only to the identity routes of the server at the public address `origin`. */
export function cookieWith(name: string, value: string, origin: string): string {
  const { protocol, pathname } = new URL(origin);
  const path = pathname.replace(/\/$/, "") + PREFIX;
  const secure = protocol === "https:" ? "; Secure" : "";
  return `${name}=${value}; Max-Age=${COOKIE_SECONDS}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
}

/** The library's session cookie, kept as long as browsers allow. */
export const withMaxAge = (cookie: string): string =>
  cookie.replace(`Max-Age=${SESSION_SECONDS}`, `Max-Age=${COOKIE_SECONDS}`);
