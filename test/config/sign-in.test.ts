/** Promise: sign-in providers are read from numbered variables, and a message names the one that is wrong. */
import { expect, test } from "bun:test";
import { ConfigError, readConfig } from "../../src/config/config.ts";

const FIRST = { LOQUAT_OIDC_ISSUER: "https://id.example/realms/a", LOQUAT_OIDC_CLIENT_ID: "loquat" };

test("without a provider there are passwords only", () => {
  expect(readConfig({}).identity).toMatchObject({ passwords: "on", providers: [] });
});

test("each provider has its own settings and the same defaults", () => {
  const { providers } = readConfig({
    ...FIRST,
    LOQUAT_OIDC_ADMINS: "Heads of IT, /speech/admins,,",
    LOQUAT_OIDC_3_ISSUER: "https://accounts.example",
    LOQUAT_OIDC_3_CLIENT_ID: "b",
    LOQUAT_OIDC_3_CLIENT_SECRET: "hidden",
    LOQUAT_OIDC_3_NAME: "Example",
    LOQUAT_OIDC_3_SESSION_HOURS: "1",
  }).identity;
  expect(providers).toMatchObject([
    {
      ...{ id: "company", name: "id.example", clientSecret: null, sessionMs: 12 * 3_600_000 },
      ...{ scopes: ["openid", "email", "profile"], groupsClaim: "groups", trustsEmail: false },
      ...{ admins: ["Heads of IT", "/speech/admins"], members: [], organizationId: null },
    },
    { id: "company-3", name: "Example", clientId: "b", admins: [], sessionMs: 3_600_000 },
  ]);
  expect(providers[1]!.clientSecret!()).toBe("hidden");
});

test.each([
  [{ LOQUAT_OIDC_ISSUER: "https://id.example" }, "LOQUAT_OIDC_CLIENT_ID"],
  [{ LOQUAT_OIDC_2_CLIENT_ID: "x" }, "LOQUAT_OIDC_2_ISSUER and LOQUAT_OIDC_2_CLIENT_ID"],
  [{ ...FIRST, LOQUAT_OIDC_ISSUER: "id.example" }, "LOQUAT_OIDC_ISSUER must be a URL"],
  [{ ...FIRST, LOQUAT_OIDC_SESSION_HOURS: "0" }, "LOQUAT_OIDC_SESSION_HOURS"],
  [{ ...FIRST, LOQUAT_OIDC_NAME: "" }, "LOQUAT_OIDC_NAME is empty"],
  [{ LOQUAT_PASSWORD_SIGN_IN: "off" }, "LOQUAT_PASSWORD_SIGN_IN is off"],
  [{ LOQUAT_PASSWORD_SIGN_IN: "never" }, "on, operators, off"],
])("%j stops the start", (environment, message) => {
  const read = () => readConfig(environment as Record<string, string>);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(message);
});
