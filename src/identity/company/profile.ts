/** What the claims of a provider say of a person, and what their groups give them. Pure. */
import type { GroupRole } from "../../accounts/group-roles.ts";
import type { OidcProvider, SignInSource } from "../../config/config.ts";
import { isEmail } from "../routes/email.ts";

export type Claims = Record<string, unknown>;

/** `groups` null: the provider does not say which, because they are too many for its token. */
export type Profile = {
  subject: string;
  email: string | null;
  isVerified: boolean;
  name: string;
  groups: string[] | null;
};

/** Methods of `amr` (RFC 8176) that are a second factor, or a passkey. */
const SECOND_METHODS = new Set("mfa otp hwk swk pop sc sms tel fpt face iris retina vbm".split(" "));

/** Whether the provider says how the person signed in, and names one factor only. Most providers do not say it. */
export const isSingleFactor = ({ amr }: Claims): boolean =>
  Array.isArray(amr) && amr.length > 0 && !amr.some((method) => SECOND_METHODS.has(method));

const NAME_MAX = 100;

export function profileOf(claims: Claims, provider: OidcProvider): Profile {
  const email = typeof claims.email === "string" && isEmail(claims.email) ? claims.email.toLowerCase() : null;
  return {
    subject: String(claims.sub),
    email,
    isVerified: provider.trustsEmail || claims.email_verified === true || claims.email_verified === "true",
    name: nameOf(claims) ?? email?.split("@")[0] ?? "",
    groups: groupsOf(claims, provider.groupsClaim),
  };
}

/** One line of text, from the claims that providers fill. */
export function nameOf({ name, preferred_username: username }: Claims): string | null {
  for (const text of [name, username]) {
    const line = typeof text === "string" ? text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim() : "";
    if (line !== "") return [...line].slice(0, NAME_MAX).join("").toWellFormed();
  }
  return null;
}

function groupsOf(claims: Claims, name: string): string[] | null {
  const found = claimAt(claims, name);
  if (found === undefined && isElsewhere(claims, name)) return null;
  const list = Array.isArray(found) ? found : [found];
  return list.filter((each) => typeof each === "string");
}

/** Distributed claims, as Entra names them where a person is in more than 200 groups. */
const isElsewhere = ({ _claim_names: names }: Claims, name: string): boolean =>
  typeof names === "object" && names !== null && Object.hasOwn(names, name);

/** The claim of that name, or the one that its dots lead to. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** Whether groups decide who may sign in. */
export const hasGroups = ({ operators, admins, members }: SignInSource): boolean =>
  operators.length + admins.length + members.length > 0;

/** Null where the provider's groups and its organization are not configured, so that it gives nothing. */
export function roleOf(groups: readonly string[], provider: SignInSource): GroupRole | null {
  const { id: source, organizationId, operators, admins, members } = provider;
  const isIn = (those: string[]) => those.some((each) => groups.includes(each));
  if (!hasGroups(provider))
    return organizationId === null ? null : { source, organizationId, role: "member", isOperator: false };
  const isOperator = isIn(operators);
  const role = isOperator ? "owner" : isIn(admins) ? "admin" : isIn(members) ? "member" : null;
  return { source, organizationId, role, isOperator };
}
