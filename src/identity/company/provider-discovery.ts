/** Asks an OpenID Connect provider where its endpoints are. It may be away: then it is asked again at the next sign-in. */
import type { OidcProvider } from "../../config/config.ts";

/** How long a provider may take to answer. */
export const PROVIDER_MS = 10_000;

export type Endpoints = {
  discoveryUrl: string;
  userInfo: string | null;
  /** How the client proves itself at the token endpoint. */
  clientAuthentication: "none" | "client_secret_basic" | "client_secret_post";
};

/** Fails where the provider does not answer, or says that it is another one. */
export async function discover(provider: OidcProvider): Promise<Endpoints> {
  const issuer = withoutSlash(provider.issuer);
  const discoveryUrl = `${issuer}/.well-known/openid-configuration`;
  const response = await fetch(discoveryUrl, { signal: AbortSignal.timeout(PROVIDER_MS) });
  if (!response.ok) throw new Error(`${discoveryUrl} answered ${response.status}.`);
  const found = (await response.json()) as Record<string, unknown>;
  if (withoutSlash(String(found.issuer)) !== issuer)
    throw new Error(`${discoveryUrl} names the issuer ${found.issuer}. LOQUAT_OIDC_ISSUER must be the same.`);
  return {
    discoveryUrl,
    userInfo: typeof found.userinfo_endpoint === "string" ? found.userinfo_endpoint : null,
    clientAuthentication: authenticationOf(provider, found.token_endpoint_auth_methods_supported),
  };
}

const withoutSlash = (address: string) => address.replace(/\/$/, "");

/** The specification's own method, unless the provider lists others only. */
function authenticationOf(
  { clientSecret }: OidcProvider,
  methods: unknown,
): Endpoints["clientAuthentication"] {
  if (clientSecret === null) return "none";
  const takesBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
  return takesBasic ? "client_secret_basic" : "client_secret_post";
}

/** The claims of the userinfo endpoint; null where it does not answer well. */
export async function userInfoOf(
  { userInfo }: Endpoints,
  accessToken: string,
): Promise<Record<string, unknown> | null> {
  if (userInfo === null) return null;
  const headers = { authorization: `Bearer ${accessToken}` };
  const response = await fetch(userInfo, { headers, signal: AbortSignal.timeout(PROVIDER_MS) });
  const isJson = /^application\/json\b/i.test(response.headers.get("content-type") ?? "");
  return response.ok && isJson ? ((await response.json()) as Record<string, unknown>) : null;
}
