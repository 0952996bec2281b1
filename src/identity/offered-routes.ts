/**
 * What of the library is offered: which routes, which fields of a body, who may call, and its errors as ours. Whatever
 * is not in these tables does not reach it.
 */

import type { Role } from "../accounts/memberships.ts";
import type { Session } from "../accounts/principal.ts";
import { Fault, invalidBody, unavailableOnError, type Detail as Violation } from "../errors.ts";
import { isEmail } from "./email.ts";
import type { LoginAttempt } from "./login-throttle.ts";

export const PREFIX = "/api/auth/";
export const COOKIE = "svc_session";
export const PASSWORD = { min: 10, max: 128 };
export const SESSION_SECONDS = 30 * 86_400;
const COOKIE_SECONDS = 400 * 86_400; // the most that browsers keep; the session's own record says when it ends
const QUIET_MS = 500; // longer than a password takes to hash
export const IP_HEADER = "x-client-address"; // ours alone: what a client sends of that name is not handed on

type Kind = { check: (value: string) => Omit<Violation, "field"> | null; optional?: true };

const lengthFrom =
  (min: number, max: number) =>
  (value: string): Omit<Violation, "field"> | null => {
    if (value.length < min) return { code: "too_short", message: `must have ${min} characters or more` };
    return value.length > max ? { code: "too_long", message: `must have ${max} characters or fewer` } : null;
  };

const text = (max: number): Kind => ({ check: lengthFrom(1, max) });
const name: Kind = {
  check: (value) => {
    const wrong = lengthFrom(1, 100)(value.trim());
    if (wrong) return wrong;
    return /\p{Cc}/u.test(value) ? { code: "malformed", message: "must be one line of text" } : null;
  },
};
const email: Kind = {
  check: (value) => (isEmail(value) ? null : { code: "malformed", message: "must be an e-mail address" }),
};
const newPassword: Kind = { check: lengthFrom(PASSWORD.min, PASSWORD.max) };
const oneOf = (...choices: string[]): Kind => ({
  check: (value) =>
    choices.includes(value) ? null : { code: "not_one_of", message: `must be one of ${choices.join(", ")}` },
});
const role = oneOf("owner", "admin", "member");
const keys: Kind = { ...oneOf("revoke", "keep"), optional: true };
const id = text(64);
const token = text(4096);
const password = text(PASSWORD.max);

type Fields = Record<string, Kind>;

export type OfferedRoute = {
  path: string;
  method: "GET" | "POST";
  fields: Fields;
  /** Without a session it answers 401. */
  signedIn: boolean;
  /** Tried so often from an address in a while, and no more; 0: as often as anybody likes. */
  attemptsMax: number;
  /** Says nothing of whether an address is known, by its answer or by how long that takes. */
  quiet: boolean;
};

const post = (fields: Fields, is: Partial<OfferedRoute> = {}) =>
  ({ method: "POST", fields, signedIn: true, attemptsMax: 0, quiet: false, ...is }) as const;
const get = (fields: Fields, is: Partial<OfferedRoute> = {}) =>
  ({ ...post(fields, is), method: "GET" }) as const;

const door = { signedIn: false, attemptsMax: 10 };
const quietDoor = { ...door, quiet: true };

export const ROUTES: Record<string, Omit<OfferedRoute, "path">> = {
  "sign-up/email": post(
    { name, email, password: newPassword, organizationName: { ...name, optional: true } },
    quietDoor,
  ),
  "sign-in/email": post({ email, password }, { ...door, attemptsMax: 30 }),
  "sign-out": post({}, { signedIn: false }),
  "verify-email": post(
    { token, password: { ...password, optional: true }, newPassword: { ...newPassword, optional: true } },
    door,
  ),
  "send-verification-email": post({ email }, quietDoor),
  "request-password-reset": post({ email }, quietDoor),
  "reset-password": post({ token, newPassword }, door),
  "change-password": post({ currentPassword: password, newPassword }, { attemptsMax: 10 }),
  "update-user": post({ name }),
  "list-sessions": get({}),
  "revoke-session": post({ token: id }),
  "revoke-other-sessions": post({}),
  "organization/invite-member": post({ organizationId: id, email, role }),
  "organization/accept-invitation": post({ invitationId: id }),
  "organization/reject-invitation": post({ invitationId: id }),
  "organization/cancel-invitation": post({ invitationId: id }),
  "organization/get-invitation": get({ id }),
  "organization/list-invitations": get({ organizationId: id }),
  "organization/list-user-invitations": get({}),
  "organization/list-members": get({ organizationId: id }),
  "organization/update-member-role": post({ organizationId: id, memberId: id, role }),
  "organization/remove-member": post({ organizationId: id, memberIdOrEmail: text(254), keys }),
  "organization/leave": post({ organizationId: id, keys }),
};

export function routeOf(request: Request): OfferedRoute {
  const { pathname } = new URL(request.url);
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : "";
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!route || route.method !== request.method)
    throw new Fault("not_found", `There is nothing at ${request.method} ${pathname.slice(0, 200)}.`);
  return { path, ...route };
}

/** What was sent, of the fields that the route has and no others. */
export type Input = Record<string, string> & { role?: Role; keys?: "revoke" | "keep" };

export async function readInput({ method, fields }: OfferedRoute, request: Request): Promise<Input> {
  const sent = method === "GET" ? queryOf(request) : await bodyOf(request);
  const input: Record<string, string> = {};
  const violations: Violation[] = [];
  for (const [field, { check, optional }] of Object.entries(fields)) {
    const value = Object.hasOwn(sent, field) ? sent[field] : undefined;
    const found = violationOf(value, check);
    if (value === undefined && optional) continue;
    if (found) violations.push({ field, ...found });
    else input[field] = value as string;
  }
  if (violations.length > 0) throw invalidBody(violations);
  return input as Input;
}

function violationOf(value: unknown, check: Kind["check"]): Omit<Violation, "field"> | null {
  if (value === undefined || value === null) return { code: "required", message: "is required" };
  if (typeof value !== "string") return { code: "wrong_type", message: "must be text" };
  const wrong = check(value);
  if (wrong) return wrong;
  const isKept = !value.includes("\0") && value.isWellFormed(); // by every database
  return isKept ? null : { code: "malformed", message: "has a character that is none" };
}

const queryOf = ({ url }: Request): Record<string, unknown> => Object.fromEntries(new URL(url).searchParams);

async function bodyOf(request: Request): Promise<Record<string, unknown>> {
  const sent = await request.text();
  if (sent === "") return {};
  const body = /^application\/json\b/i.test(request.headers.get("content-type") ?? "")
    ? readJson(sent)
    : null;
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw invalidBody([{ field: "", code: "malformed", message: "must be a JSON object" }]);
}

function readJson(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    return null;
  }
}

/** A call that may be made, as far as its form goes. */
export type Call = {
  route: OfferedRoute;
  input: Input;
  session: Session | null;
  request: Request;
  ip: string | null;
  visit: LoginAttempt;
};

/** One of the cookies that came, as it was sent. */
export const cookieOf = (headers: Headers, name: string): string | null =>
  (headers.get("cookie") ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(`${name}=`)) ?? null;

/** A request of what passed, and nothing else of what came. */
export function remade(call: Call, origin: string): Request {
  const { route, input, request, ip } = call;
  const { path, method } = route;
  const url = new URL(PREFIX + path, origin);
  const headers = new Headers({ "content-type": "application/json" });
  if (ip !== null) headers.set(IP_HEADER, ip);
  headers.set("user-agent", request.headers.get("user-agent")?.slice(0, 256) ?? "");
  const cookie = cookieOf(request.headers, COOKIE);
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

/** No page needs the secret of a session: one is named by its id. */
export function shown(path: string, body: Record<string, unknown> | null, session: Session | null): unknown {
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

export function answer(body: unknown, cookies: string[]): Response {
  const response = Response.json(body, { headers: { "cache-control": "no-store" } });
  for (const cookie of cookies)
    response.headers.append(
      "set-cookie",
      cookie.replace(`Max-Age=${SESSION_SECONDS}`, `Max-Age=${COOKIE_SECONDS}`),
    );
  return response;
}

/** Kept as long as browsers keep anything, and sent nowhere but to these routes. */
export const cookieWith = (name: string, value: string, isSecure: boolean): string =>
  `${name}=${value}; Max-Age=${COOKIE_SECONDS}; Path=${PREFIX}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;

/** As long for everybody, so that time tells nothing. */
export async function slowly<T>(work: Promise<T>): Promise<T> {
  const [done] = await Promise.allSettled([work, new Promise((resolve) => setTimeout(resolve, QUIET_MS))]);
  if (done.status === "rejected") throw done.reason;
  return done.value;
}

/** A query that failed says in its message what was asked with it: hashes and addresses, which no log may have. */
export function safely<T>(work: Promise<T>): Promise<T> {
  const bare = work.catch((error) => {
    throw error instanceof Error && "params" in error ? error.cause : error;
  });
  return unavailableOnError("The accounts", bare);
}

const INVALID_TOKEN = () => new Fault("invalid_token", "This link was used, is too old, or is not whole.");
const UNKNOWN = () => new Fault("not_found", "There is no such thing, or it is not yours.");

/** Errors of the library by their code. */
const FAULTS: Record<string, () => Fault> = {
  INVALID_EMAIL_OR_PASSWORD: () =>
    new Fault("invalid_credentials", "The e-mail address or the password is wrong."),
  INVALID_PASSWORD: () => new Fault("invalid_credentials", "The password is wrong."),
  EMAIL_NOT_VERIFIED: () =>
    new Fault("email_not_verified", "Verify your e-mail address first. We can send you another link."),
  INVALID_EMAIL: () =>
    invalidBody([{ field: "email", code: "malformed", message: "must be an e-mail address" }]),
  UNAUTHORIZED: () => notSignedIn(),
  INVALID_TOKEN,
  TOKEN_EXPIRED: INVALID_TOKEN,
  USER_NOT_FOUND: INVALID_TOKEN,
  USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION: () =>
    new Fault("already_member", "They belong to this organization already."),
  USER_IS_ALREADY_INVITED_TO_THIS_ORGANIZATION: () =>
    new Fault("invite_pending", "They are invited already, and have not answered."),
  INVITATION_NOT_FOUND: UNKNOWN,
  YOU_ARE_NOT_THE_RECIPIENT_OF_THE_INVITATION: UNKNOWN,
  INVITER_IS_NO_LONGER_A_MEMBER_OF_THE_ORGANIZATION: UNKNOWN,
  ORGANIZATION_NOT_FOUND: UNKNOWN,
  MEMBER_NOT_FOUND: UNKNOWN,
};

export const notSignedIn = () => new Fault("not_signed_in", "Sign in first.");

/** What the library refused, or failed at, as a caller of ours is told. */
export function faultOf(status: number, code: string): Fault {
  const known = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  if (known) return known();
  if (status === 403) return new Fault("insufficient_role", "You may not do this here.");
  if (status < 500 && code !== "FAILED_TO_CREATE_USER")
    return invalidBody([{ field: "", code: "malformed", message: "cannot be used" }]);
  return new Fault("service_unavailable", "The accounts cannot be reached. Try again in a moment.", {
    retryAfterSeconds: 1,
    cause: new Error(code),
  });
}
