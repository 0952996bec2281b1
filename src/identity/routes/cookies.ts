/** The cookies of sign-in sessions and of known browsers. */
import { PREFIX } from "./offered-routes.ts";

export const SESSION_COOKIE = "svc_session";
/** Of a sign-in with a provider, while its user is there. */
export const STATE_COOKIE = "svc_state";
/** Of a sign-in whose password was right, while its code is awaited. */
export const CHALLENGE_COOKIE = "svc_two_factor";
export const SESSION_SECONDS = 30 * 86_400;
const COOKIE_SECONDS = 400 * 86_400; // the most that browsers keep; the session's own record says when it ends

/** The cookies of a request, each as `name=value`. */
export const cookiesOf = (headers: Headers): string[] =>
  (headers.get("cookie") ?? "")
    .split(";")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** One of them, or null. */
export const cookieOf = (headers: Headers, name: string): string | null =>
  cookiesOf(headers).find((each) => each.startsWith(`${name}=`)) ?? null;

/** The session cookie of a request, or null: the library would take other spellings of the same signature for it too. */
export function sessionCookieOf(headers: Headers): string | null {
  const cookie = cookieOf(headers, SESSION_COOKIE);
  return cookie !== null && isCanonical(cookie.slice(SESSION_COOKIE.length + 1)) ? cookie : null;
}

/** The token of the session that set these cookies; null if none was opened. */
export function sessionTokenIn(setCookies: string[]): string | null {
  const [pair = ""] = (setCookies.find((each) => each.startsWith(`${SESSION_COOKIE}=`)) ?? "").split(";");
  const value = pair.slice(SESSION_COOKIE.length + 1);
  return unescaped(value).split(".")[0] || null;
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

/** The cookie of a session, as the library writes it. */
export function sessionCookie(value: string, origin: string): string {
  const { protocol, pathname } = new URL(origin);
  const secure = protocol === "https:" ? "; Secure" : "";
  return `${SESSION_COOKIE}=${value}; Max-Age=${COOKIE_SECONDS}; Path=${pathname}; HttpOnly; SameSite=Lax${secure}`;
}

/** The library's session cookie, kept as long as browsers allow. */
export const withMaxAge = (cookie: string): string =>
  cookie.replace(`Max-Age=${SESSION_SECONDS}`, `Max-Age=${COOKIE_SECONDS}`);
