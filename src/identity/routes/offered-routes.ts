/** The routes of the identity library that are offered, with the fields of each. No other route or field reaches it. */
import { PROVIDER_IDS } from "../../config/config.ts";
import { Refusal } from "../../errors.ts";
import { email, id, type Kind, keys, name, newPassword, password, role, text, token } from "./fields.ts";

export const PREFIX = "/api/auth/";

type Fields = Record<string, Kind>;

export type OfferedRoute = {
  path: string;
  method: "GET" | "POST";
  fields: Fields;
  /** Whether it needs a session; "maybe": it is about the one that there is, or about a sign-in that lacks its code. */
  needsSession: boolean | "maybe";
  /** Attempts from one address within the throttle's window; 0: unlimited. */
  attemptsMax: number;
  /** Its token cannot be guessed, so only wrong ones are counted: a right one is never refused for those of others. */
  byToken: boolean;
  /** Neither the answer nor its timing reveals whether an address is known. */
  constantTime: boolean;
  /** The sign-in provider that it is about. */
  provider: string | null;
  /** Browsers come here from the provider, which is another site, and are taken to a page. */
  lands: boolean;
};

const USUAL = {
  ...{ needsSession: true, attemptsMax: 0, byToken: false, constantTime: false },
  ...{ provider: null, lands: false },
};
const post = (fields: Fields, is: Partial<OfferedRoute> = {}) =>
  ({ method: "POST", fields, ...USUAL, ...is }) as const;
const get = (fields: Fields, is: Partial<OfferedRoute> = {}) =>
  ({ ...post(fields, is), method: "GET" }) as const;

const publicRoute = { needsSession: false, attemptsMax: 10 };
const tokenRoute = { ...publicRoute, byToken: true };
const constantTimeRoute = { ...publicRoute, constantTime: true };

/** What providers add to the address: an authorization code, or why there is none. */
const code = { ...text(4096), optional: true } as const;
const answered = { code, state: { ...text(512), optional: true } as const, iss: code, error: code };
const providerRoutes = (id: string): Record<string, Omit<OfferedRoute, "path">> => ({
  [`sign-in/${id}`]: post({}, { ...publicRoute, attemptsMax: 300, provider: id }), // whole companies have one address
  [`callback/${id}`]: get(
    { ...answered, error_description: code },
    { ...tokenRoute, attemptsMax: 300, provider: id, lands: true },
  ),
});

/** @public held to the isolation of tenants by a test */
export const ROUTES: Record<string, Omit<OfferedRoute, "path">> = {
  "sign-up/email": post(
    { name, email, password: newPassword, organizationName: { ...name, optional: true } },
    constantTimeRoute,
  ),
  /** Creates the first operator with the secret of a set-up link, and signs them in. */
  "set-up": post({ token, name, email, password: newPassword }, tokenRoute),
  /** What the page of an invitation shows that has a secret; and the account and membership that it creates. */
  "join/details": post({ invitationId: id, token }, tokenRoute),
  join: post({ invitationId: id, token, name, password: newPassword }, tokenRoute),
  "sign-in/email": post({ email, password }, { ...publicRoute, attemptsMax: 30 }),
  "sign-out": post({}, { needsSession: false }),
  "verify-email": post(
    { token, password: { ...password, optional: true }, newPassword: { ...newPassword, optional: true } },
    tokenRoute,
  ),
  "send-verification-email": post({ email }, constantTimeRoute),
  "request-password-reset": post({ email }, constantTimeRoute),
  "reset-password": post({ token, newPassword }, tokenRoute),
  "change-password": post({ currentPassword: password, newPassword }, { attemptsMax: 10 }),
  "two-factor/enable": post({ password }, { attemptsMax: 10 }),
  "two-factor/get-totp-uri": post({ password }, { attemptsMax: 10 }),
  "two-factor/verify-totp": post({ code: text(16) }, { needsSession: "maybe", attemptsMax: 30 }),
  "two-factor/verify-backup-code": post({ code: text(32) }, { needsSession: "maybe", attemptsMax: 30 }),
  "two-factor/generate-backup-codes": post({ password }, { attemptsMax: 10 }),
  "two-factor/disable": post({ password }, { attemptsMax: 10 }),
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
  ...Object.assign({}, ...PROVIDER_IDS.map(providerRoutes)),
};

/** What the library is asked after a set-up. */
export const SIGN_IN: OfferedRoute = { path: "sign-in/email", ...ROUTES["sign-in/email"]! };

export function routeOf(request: Request): OfferedRoute {
  const { pathname } = new URL(request.url);
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : "";
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (!route || route.method !== request.method)
    throw new Refusal("not_found", `There is nothing at ${request.method} ${pathname.slice(0, 200)}.`);
  return { path, ...route };
}
