/**
 * POST /v1/realtime/client_secrets, and the beta's /v1/realtime/transcription_sessions: a secret that a browser may
 * hold, which opens realtime sessions with these settings for a while. Not metered.
 */
import { Elysia } from "elysia";
import Type from "typebox";
import type { Accounts } from "../account/accounts.ts";
import type { Catalogue } from "../catalog/catalogue.ts";
import type { Clock } from "../clock.ts";
import { invalidBody } from "../errors.ts";
import type { Access } from "../http/access.ts";
import { type Patience, readJson } from "../http/body.ts";
import { newId } from "../ids.ts";
import { DEFAULTS, sessionObject } from "../realtime/settings.ts";
import { checker } from "../schema.ts";
import { readUpdate, settle } from "./realtime-settings.ts";

export type ClientSecretParts = {
  access: Access;
  accounts: Accounts;
  catalogue: Catalogue;
  patience: Patience;
  clock: Clock;
};

const LIFE_SECONDS = 600;

const Body = Type.Object({
  expires_after: Type.Optional(
    Type.Union([
      Type.Object({
        anchor: Type.Optional(Type.Enum(["created_at"])),
        seconds: Type.Optional(Type.Integer({ minimum: 10, maximum: 7200, default: LIFE_SECONDS })),
      }),
      Type.Null(),
    ]),
  ),
});
const body = checker(Body);

const DETAIL = {
  tags: ["Realtime"],
  description: "It opens sessions on WS /v1/realtime, with these settings.",
};
const requestBody = { required: false, content: { "application/json": { schema: Body as never } } };

export function clientSecretRoutes({ access, accounts, catalogue, patience, clock }: ClientSecretParts) {
  async function mint(keyId: string, session: object, seconds: number) {
    const { settings } = settle(catalogue, DEFAULTS, readUpdate({ session }));
    const { secret, expiresAt } = await accounts.mintClientSecret({ keyId, session, seconds });
    return { settings, value: secret, expires_at: expiresAt };
  }
  const shown = (settings: typeof DEFAULTS, beta: boolean) =>
    sessionObject(settings, { id: newId("sess", clock), expiresAt: 0 }, { beta, intent: true });

  return new Elysia()
    .post(
      "/v1/realtime/client_secrets",
      async ({ request }) => {
        const { keyId } = await access(request, "realtime:connect");
        const given = await readJson(request, patience, {});
        const { value: checked, details } = body.check(given);
        if (details !== null) throw invalidBody(details);
        const { session } = given as { session?: object | null };
        const seconds = checked.expires_after?.seconds ?? LIFE_SECONDS;
        const { settings, ...minted } = await mint(keyId, session ?? {}, seconds);
        return { ...minted, session: shown(settings, false) };
      },
      { parse: "none", detail: { ...DETAIL, summary: "Mint a secret for a browser", requestBody } },
    )
    .post(
      "/v1/realtime/transcription_sessions",
      async ({ request }) => {
        const { keyId } = await access(request, "realtime:connect");
        const given = await readJson(request, patience, {});
        const { settings, ...client_secret } = await mint(keyId, given as object, LIFE_SECONDS);
        return { ...shown(settings, true), client_secret };
      },
      { parse: "none", detail: { ...DETAIL, summary: "Mint a secret for a browser, in the beta's shape" } },
    );
}
