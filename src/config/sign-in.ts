/** Reads who may sign in how: with passwords, and with the accounts of up to nine OpenID Connect providers. */
import {
  address,
  ConfigError,
  type Environment,
  networks,
  oneOf,
  text,
  textOr,
  whole,
} from "./environment.ts";
import { type Secret, secret } from "./secrets.ts";
import type { ChoiceOf, VariableWith } from "./variables.ts";

/** In addresses of this server, in records, and in what they are told. */
export const PROVIDER_IDS = ["company", ...[2, 3, 4, 5, 6, 7, 8, 9].map((number) => `company-${number}`)];

/** What sessions and roles that a proxy gives have in place of a provider. */
export const PROXY_SOURCE = "proxy";

export type OidcProvider = {
  /** One of `PROVIDER_IDS`. */
  id: string;
  name: string;
  issuer: string;
  clientId: string;
  /** Null: a public client. */
  clientSecret: Secret | null;
  scopes: string[];
  groupsClaim: string;
  /** Groups, by what they give; all empty: groups decide nothing. */
  operators: string[];
  admins: string[];
  members: string[];
  /** Null: the first one. */
  organizationId: string | null;
  trustsEmail: boolean;
  sessionMs: number;
};

/** What decides who may come from a provider, or from a proxy, and with which role. */
export type SignInSource = Pick<
  OidcProvider,
  "id" | "name" | "operators" | "admins" | "members" | "organizationId" | "sessionMs"
>;

/** Headers in which a proxy says whom it has signed in, in small letters. */
export type ProxySignIn = {
  source: SignInSource;
  emailHeader: string;
  groupsHeader: string | null;
  nameHeader: string | null;
};

export type SignInConfig = {
  /** Null: no proxy signs anybody in. */
  proxy: ProxySignIn | null;
  passwords: ChoiceOf<"LOQUAT_PASSWORD_SIGN_IN">;
  providers: OidcProvider[];
  /** Whether operators need a second factor. */
  operatorsTwoFactor: boolean;
};

export function readSignIn(environment: Environment): SignInConfig {
  const providers = PROVIDER_IDS.flatMap((id, index) => readProvider(environment, id, index + 1) ?? []);
  const passwords = oneOf(environment, "LOQUAT_PASSWORD_SIGN_IN");
  const proxy = readProxy(environment);
  if (passwords === "off" && providers.length === 0 && proxy === null)
    throw new ConfigError(
      "LOQUAT_PASSWORD_SIGN_IN is off, so LOQUAT_OIDC_ISSUER or LOQUAT_AUTH_EMAIL_HEADER must be set.",
    );
  const operatorsTwoFactor = oneOf(environment, "LOQUAT_OPERATORS_TWO_FACTOR") === "1";
  return { passwords, providers, proxy, operatorsTwoFactor };
}

function readProxy(environment: Environment): ProxySignIn | null {
  const emailHeader = headerName(environment, "LOQUAT_AUTH_EMAIL_HEADER");
  const groupsHeader = headerName(environment, "LOQUAT_AUTH_GROUPS_HEADER");
  const nameHeader = headerName(environment, "LOQUAT_AUTH_NAME_HEADER");
  if (emailHeader === null && groupsHeader === null && nameHeader === null) return null;
  if (emailHeader === null)
    throw new ConfigError("LOQUAT_AUTH_EMAIL_HEADER must be set where another header of the proxy is.");
  if (networks(environment, "LOQUAT_PROXIES").length === 0)
    throw new ConfigError(
      "LOQUAT_AUTH_EMAIL_HEADER needs LOQUAT_PROXIES: the addresses of the proxies that may send the header. Anybody could sign in as anybody otherwise.",
    );
  const source = { ...settingsOf(environment), id: PROXY_SOURCE, name: "The proxy" };
  return { source, emailHeader, groupsHeader, nameHeader };
}

/** Those that say something else to this server. */
const TAKEN = ["authorization", "cookie", "host", "origin", "x-csrf-token", "x-forwarded-for"];

function headerName(environment: Environment, name: VariableWith<"values">): string | null {
  const value = textOr(environment, name, null)?.toLowerCase() ?? null;
  if (value === null || (/^[a-z0-9-]{1,100}$/.test(value) && !TAKEN.includes(value))) return value;
  throw new ConfigError(`${name} must be the name of a header that the proxy sets, such as Remote-Email.`);
}

const FIRST = "LOQUAT_OIDC_";

/** The variables of a further provider are read under the names of the first one's; a message has their own. */
function readProvider(environment: Environment, id: string, number: number): OidcProvider | null {
  if (number === 1) return providerOf(environment, id);
  const prefix = `${FIRST}${number}_`;
  const own = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith(prefix) ? [[FIRST + name.slice(prefix.length), value] as const] : [],
  );
  try {
    return providerOf(Object.fromEntries(own), id);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(error.message.replaceAll(FIRST, prefix));
    throw error;
  }
}

function providerOf(environment: Environment, id: string): OidcProvider | null {
  const issuer = address(environment, "LOQUAT_OIDC_ISSUER");
  const clientId = textOr(environment, "LOQUAT_OIDC_CLIENT_ID", null);
  const clientSecret = secret(environment, "LOQUAT_OIDC_CLIENT_SECRET");
  const settings = settingsOf(environment);
  if (issuer === null && clientId === null && clientSecret === null) return null;
  if (issuer === null || clientId === null)
    throw new ConfigError("LOQUAT_OIDC_ISSUER and LOQUAT_OIDC_CLIENT_ID must be set together.");
  return { id, issuer, clientId, clientSecret, ...settings, name: settings.name ?? new URL(issuer).host };
}

function settingsOf(environment: Environment) {
  return {
    name: textOr(environment, "LOQUAT_OIDC_NAME", null),
    scopes: text(environment, "LOQUAT_OIDC_SCOPES").split(/[\s,]+/),
    groupsClaim: text(environment, "LOQUAT_OIDC_GROUPS_CLAIM"),
    operators: names(environment, "LOQUAT_OIDC_OPERATORS"),
    admins: names(environment, "LOQUAT_OIDC_ADMINS"),
    members: names(environment, "LOQUAT_OIDC_MEMBERS"),
    organizationId: textOr(environment, "LOQUAT_OIDC_ORGANIZATION", null),
    trustsEmail: oneOf(environment, "LOQUAT_OIDC_TRUST_EMAIL") === "1",
    sessionMs: whole(environment, "LOQUAT_OIDC_SESSION_HOURS") * 3_600_000,
  };
}

/** Groups, in the letters in which the provider writes them. */
const names = (environment: Environment, name: VariableWith<"values">): string[] =>
  (textOr(environment, name, null) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
