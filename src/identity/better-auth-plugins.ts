/** The parts of better-auth beside its core: sign-in with a provider, and the second factor. Loaded on first use. */
import type { OidcProvider } from "../config/config.ts";
import { randomText } from "../ids.ts";
import type { Endpoints } from "./company/provider-discovery.ts";
import { PREFIX } from "./routes/offered-routes.ts";

/** What the library knows of a provider. `profileOf`: the person of some tokens, whose ID token it has verified; a refusal ends the sign-in. */
export type Company = {
  provider: OidcProvider;
  endpoints: Endpoints;
  profileOf(tokens: {
    idToken?: string | undefined;
    accessToken?: string | undefined;
  }): Promise<CompanyProfile | null>;
};
type CompanyProfile = { sub: string; id: string; email: string; emailVerified: true; name: string };

export async function providerPlugin({ provider, endpoints, profileOf }: Company, origin: () => string) {
  const { genericOAuth } = await import("better-auth/plugins/generic-oauth");
  return genericOAuth({
    config: [
      {
        ...{ providerId: provider.id, discoveryUrl: endpoints.discoveryUrl, clientId: provider.clientId },
        ...(provider.clientSecret ? { clientSecret: provider.clientSecret() } : {}),
        tokenEndpointAuth: { method: endpoints.clientAuthentication },
        scopes: provider.scopes,
        redirectURI: `${origin()}${PREFIX}callback/${provider.id}`,
        getUserInfo: profileOf,
        requireEmailVerification: true,
        requireIdTokenVerification: true,
      },
    ],
  });
}

/** Without letters and digits that look alike. */
const RECOVERY_LETTERS = "23456789abcdefghijkmnpqrstuvwxyz";

export async function secondFactorPlugin() {
  const { twoFactor } = await import("better-auth/plugins/two-factor");
  const recoveryCode = () => `${randomText(RECOVERY_LETTERS, 5)}-${randomText(RECOVERY_LETTERS, 5)}`;
  const plugin = twoFactor({
    issuer: "Loquat",
    accountLockout: { enabled: false }, // second-factor.ts counts guesses, and not those of the owner's own browser
    backupCodeOptions: { customBackupCodesGenerate: () => Array.from({ length: 10 }, recoveryCode) },
  });
  const { failedVerificationCount: _, lockedUntil: __, ...fields } = plugin.schema.twoFactor.fields;
  return { ...plugin, schema: { ...plugin.schema, twoFactor: { fields } } };
}
