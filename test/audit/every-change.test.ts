/**
 * Promise: every route that changes something leaves an event in the audit log, or is on a list here that says why not.
 *
 * The routes come from the schemas and from the app itself, so that a new one leaves an event or fails here.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { NOTED_SIGN_IN } from "../../src/identity/audited-identity.ts";
import { ROUTES as AUTH } from "../../src/identity/routes/offered-routes.ts";
import { buildApp } from "../../src/server/app.ts";
import { currentBodyOf } from "../api/management/current-body.ts";
import type { Person } from "../api/management/server-fixture.ts";
import { filled, hooked, openTenancy, ROUTES, type Tenancy } from "../api/management/tenancy.ts";
import { type AdminFixture, openAdminFixture } from "../api/v1/organization/admin-fixture.ts";
import { ADMIN_TABLE } from "../api/v1/organization/admin-table.ts";
import { openStripe, type StripeServer } from "../stripe/server.ts";

/** Why a route of the management API leaves none. */
const MANAGEMENT_EXCEPTIONS: Record<string, string> = {
  "DELETE /api/organizations/:organization/voice-consents/:consent": "a recording that is used by no voice",
  "POST /api/organizations/:organization/billing/payment-method/setup":
    "opens Stripe's page: the card is added when Stripe reports it, which leaves billing.card.added",
  "DELETE /api/operator/models/:package/pull":
    "takes back a request of the operator, before it has changed anything",
  "PUT /api/organizations/:organization/two-factor":
    "changes nothing for who has no second factor: second-factor.test.ts shows its organization.updated",
  "POST /api/account/delete":
    "is refused to the only owner: test/deletion/account.test.ts shows its user.deleted",
  "POST /api/organizations/:organization/jobs/:job/transcript":
    "reads a result, which is deleted afterwards where nothing is kept",
  "POST /api/organizations/:organization/jobs/:job/speech":
    "reads a result, which is deleted afterwards where nothing is kept",
  "POST /api/organizations/:organization/jobs/:job/cancel": "use, which is in the row of the job",
  "DELETE /api/organizations/:organization/jobs/:job": "a content of one's own",
  "POST /api/operator/unload": "changes nothing that lasts: the engine loads again on its next task",
  "POST /api/operator/selling/test":
    "changes nothing: mails the operator, or opens a checkout, which leaves billing.top_up",
  "POST /api/operator/upstreams/:upstream/test": "changes nothing: sends a request to an upstream",
  ...Object.fromEntries(
    ["/api/organizations/:organization/webhooks/:endpoint", "/api/operator/webhooks/:serverEndpoint"].flatMap(
      (path) => [
        [`POST ${path}/test`, "changes nothing: sends a sample"],
        [`POST ${path}/replay`, "changes nothing: sends again"],
      ],
    ),
  ),
  "POST /api/organizations/:organization/webhooks/:endpoint/deliveries/:delivery/retry":
    "changes nothing: sends again",
  "POST /api/operator/webhooks/:serverEndpoint/deliveries/:serverDelivery/retry":
    "changes nothing: sends again",
};

/** What cannot be made here, and the test that shows its event. */
const NOT_MADE: Record<string, string> = {
  "POST /api/mail-of-alerts": "test/contract/alerts/recipients.ts",
  "PUT /api/operator/wyoming": "test/api/management/wyoming.test.ts",
  "POST /api/operator/organizations/:tenant/top-ups/:topUp/refund":
    "test/contract/billing/audited-payments.ts",
  "POST /api/operator/models/:package/pull": "test/api/management/packages.test.ts",
  "DELETE /api/operator/models/:package": "test/api/management/packages.test.ts",
};

/** The events of what operators edit. */
const TYPES: Record<string, string> = {
  "PUT /api/organizations/:organization/billing/details": "billing.details.updated",
  "PUT /api/operator/conversations": "conversation.updated",
  "POST /api/operator/conversations/:conversation/default": "conversation.updated",
  "DELETE /api/operator/conversations/:conversation": "conversation.deleted",
  "POST /api/operator/upstreams": "upstream.updated",
  "DELETE /api/operator/upstreams/:upstream": "upstream.deleted",
};

/** Why a route of signing in leaves none. */
const SIGN_IN_EXCEPTIONS: Record<string, string> = {
  "sign-up/email":
    "an account of no organization until its address is verified, which leaves login.succeeded",
  "join/details": "changes nothing: shows an invitation",
  "two-factor/enable": "prepares what counts once a code was given, which leaves two_factor.enabled",
  "two-factor/get-totp-uri": "changes nothing: shows what was prepared",
  "sign-in/company": "leads to the provider: coming back from it leaves login.succeeded",
  "send-verification-email": "changes nothing: mails a link",
  "request-password-reset": "changes nothing: mails a link",
  "reset-password": "whose password it is only the library knows, from a mailed secret",
  "revoke-session": "ends a session of one's own",
  "revoke-other-sessions": "ends sessions of one's own",
};

/** Written with the change of the member, not after it. */
const WITH_ITS_ROW = ["organization/update-member-role", "organization/remove-member", "organization/leave"];

/** Why a route of the public API leaves none. */
const PUBLIC_EXCEPTIONS: Record<string, string> = {
  "POST /v1/audio/speech": "use, which is in the log of requests",
  "POST /v1/audio/transcriptions": "use, which is in the log of requests",
  "POST /v1/audio/translations": "use, which is in the log of requests",
  "POST /v1/files": "a content for later requests",
  "DELETE /v1/files/:file": "a content of one's own",
  "POST /v1/batches": "use, which is in the row of the batch",
  "POST /v1/batches/:batch/cancel": "use, which is in the row of the batch",
  "POST /v1/audio/jobs/:job/cancel": "use, which is in the row of the job",
  "DELETE /v1/audio/jobs/:job": "a content of one's own",
  "POST /v1/uploads": "a content for later requests",
  "POST /v1/uploads/:upload/parts": "a content for later requests",
  "POST /v1/uploads/:upload/complete": "a content for later requests",
  "POST /v1/uploads/:upload/cancel": "a content of one's own",
  "POST /v1/realtime/client_secrets": "a secret for some minutes, which may do less than its key",
  "POST /v1/realtime/sessions": "a secret for some minutes, which may do less than its key",
  "POST /v1/realtime/transcription_sessions": "a secret for some minutes, which may do less than its key",
  "POST /v1/audio/voice_consents": "a recording that is used by no voice yet",
  "POST /v1/audio/voice_consents/:consent": "the name of a consent",
  "DELETE /v1/audio/voice_consents/:consent": "a recording that is used by no voice",
  "POST /v1/webhook_endpoints/:webhook_endpoint/test": "changes nothing: sends a sample",
  "POST /v1/webhook_endpoints/:webhook_endpoint/replay": "changes nothing: sends again",
  "POST /v1/webhook_endpoints/:webhook_endpoint/deliveries/:delivery/retry": "changes nothing: sends again",
};
/** Voices leave theirs in src/voices, whichever route makes or deletes them. */
const VOICES = ["POST /v1/audio/voices", "DELETE /v1/audio/voices/:voice"];
const WEBHOOKS = "/v1/webhook_endpoints";
/** These in src/webhooks. */
const WEBHOOK_CHANGES = [
  `POST ${WEBHOOKS}`,
  `POST ${WEBHOOKS}/:webhook_endpoint`,
  `DELETE ${WEBHOOKS}/:webhook_endpoint`,
  `POST ${WEBHOOKS}/:webhook_endpoint/rotate_secret`,
];

const changes = (name: string) => !name.startsWith("GET ");

let stripe: StripeServer;
let server: AdminFixture;
let tenancy: Tenancy;
let operator: Person;
beforeAll(async () => {
  const webhookSecret = "whsec_of_the_tests";
  stripe = await openStripe({ webhookSecret });
  const environment = {
    STRIPE_SECRET_KEY: stripe.key,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_URL: stripe.url,
  };
  server = await openAdminFixture({ environment });
  tenancy = await openTenancy(server, "Loquat");
  operator = await server.operator("operator");
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await stripe[Symbol.asyncDispose]();
});

async function typesSince(change: () => Promise<Response>): Promise<{ status: number; types: string[] }> {
  const { query, tables } = server.parts.database;
  const ids = async () =>
    (await query.select().from(tables.auditEvent)).map(({ id, type }) => ({ id, type }));
  const before = new Set((await ids()).map(({ id }) => id));
  const { status } = await change();
  return { status, types: (await ids()).filter(({ id }) => !before.has(id)).map(({ type }) => type) };
}

/** What a route ends or changes is made for it. */
async function fresh(name: string): Promise<Record<string, string>> {
  const { accounts } = server.parts;
  const project = await accounts.createProject(tenancy.organization, `Project ${Math.random()}`);
  const made = { projectId: project.id, name: "Key", environment: "test", expiresAt: null } as const;
  const key = await accounts.createKey({ ...made, scopes: ["catalog:read"] });
  const account = await accounts.createServiceAccount({ projectId: project.id, name: "Bot" });
  const person = await server.waiting(`p${account.id.slice(-8)}`);
  if (name.endsWith("/aliases/reset")) await server.parts.aliases.remove("model", "tts-1");
  if (name.endsWith("/payment-method")) await carded();
  const organizationId = name.includes("/api/operator/") ? null : tenancy.organization;
  const hook = name.includes("/webhooks") ? await hooked(server, { organizationId, name: "Fresh" }) : {};
  return { ...tenancy.ids, ...hook, project: project.id, key: key.id, serviceAccount: account.id, person };
}

/** The organization has a card again, which other changes may have lost. */
async function carded(): Promise<void> {
  const { query, tables } = server.parts.database;
  const { billingAccount } = tables;
  const card = { paymentMethodId: "pm_walked", cardBrand: "visa", cardLast4: "4242" };
  await query.update(billingAccount).set(card).where(eq(billingAccount.organizationId, tenancy.organization));
}

describe("the management API", () => {
  const audited = ROUTES.filter(([name]) => changes(name) && !(name in MANAGEMENT_EXCEPTIONS));

  test.each(audited)("%s", async (name, route) => {
    const by = route.needs === "operator" ? operator : tenancy.users.owner;
    const ids = await fresh(name);
    const body = await currentBodyOf(server, tenancy, [name, route]);
    const { status, types } = await typesSince(() => by.ask(filled(name, ids), body));
    if (status < 300) expect({ name, types }).not.toEqual({ name, types: [] });
    else expect(Object.keys(NOT_MADE)).toContain(name);
    const type = TYPES[name];
    if (status < 300 && type) expect(types).toContain(type);
  });

  test("exceptions are routes that there are", () => {
    const names = ROUTES.map(([name]) => name);
    for (const name of [MANAGEMENT_EXCEPTIONS, NOT_MADE, TYPES].flatMap(Object.keys))
      expect(names).toContain(name);
  });
});

describe("the organization API", () => {
  const ID = /"id":"(\w+)"/;
  const ALERT = { threshold_amount: 100, notification_channel: { type: "webhook" } };
  const BODIES: Record<string, object> = {
    "POST /spend_limit": { threshold_amount: 100, currency: "USD", interval: "month" },
    "POST /data_retention": { retention_type: "zero_data_retention" },
    "POST /projects/:project/data_retention": { retention_type: "none" },
    "POST /projects/:project/rate_limits/:rate_limit": { max_requests_per_1_minute: 60 },
    "POST /projects/:project/model_permissions": { mode: "deny_list", model_ids: ["svc-tts2"] },
    "POST /projects/:project/spend_limit": { threshold_amount: 100, currency: "USD", interval: "month" },
    "POST /spend_alerts": ALERT,
    "POST /spend_alerts/:spend_alert": { threshold_amount: 200 },
    "POST /projects/:project/spend_alerts": ALERT,
    "POST /projects/:project/spend_alerts/:spend_alert": { threshold_amount: 200 },
    "POST /invites": { email: "walked@example.com", role: "reader" },
    "POST /users/:user": { role: "owner" },
  };

  test.each(Object.keys(ADMIN_TABLE).filter(changes))("%s", async (name) => {
    const route = name.replace("/v1/organization", "");
    const { accounts } = server.parts;
    const { organizationId } = server;
    const project = (await accounts.createProject(organizationId, `Walked ${Math.random()}`)).id;
    const key = { name: "x", environment: "live", scopes: [], expiresAt: null } as const;
    const made = await accounts.createServiceAccountWithKey({ projectId: project, name: "Bot" }, key);
    const person = await server.person(`P${project.slice(-8)}`, { organizationId, role: "member" });
    const ids: Record<string, string> = {
      ...{ project, service_account: made.account.id, api_key: made.key.id, user: person.id },
      rate_limit: "rl_speech",
      admin_key: (await server.newAdminKey()).id,
    };
    if (route.includes(":invite")) {
      const body = { email: `${project.slice(-8)}@example.com`, role: "reader" };
      ids.invite = ID.exec(await (await server.admin("POST /invites", body)).text())![1]!;
    }
    if (route.includes(":spend_alert")) {
      const created = `POST ${route.split(" ")[1]!.replace("/:spend_alert", "").replace(":project", project)}`;
      ids.spend_alert = ID.exec(await (await server.admin(created, ALERT)).text())![1]!;
    }
    const set = BODIES[route.replace("DELETE /projects", "POST /projects")];
    const path = route.replace(/:(\w+)/g, (_, kind: string) => ids[kind]!);
    if (route.startsWith("DELETE") && set) await server.admin(path.replace("DELETE", "POST"), set);
    const body = route.startsWith("POST")
      ? (BODIES[route] ?? { name: `Walked ${Math.random()}` })
      : undefined;
    const { status, types } = await typesSince(() => server.admin(path, body));
    expect({ route, status }).toEqual({ route, status: 200 });
    expect({ route, types }).not.toEqual({ route, types: [] });
  });
});

test("signing in: every route that changes something has events, or a reason", () => {
  const known = [...NOTED_SIGN_IN, ...WITH_ITS_ROW, ...Object.keys(SIGN_IN_EXCEPTIONS)];
  const routes = Object.entries(AUTH).filter(([, { method }]) => method === "POST");
  const paths = routes.map(([path]) => path.replace(/^(sign-in\/company)-\d$/, "$1")); // one for each provider
  expect(known.toSorted()).toEqual([...new Set(paths)].toSorted());
});

test("the public API: every route that changes something has events, or a reason", () => {
  const known = new Set([...VOICES, ...WEBHOOK_CHANGES, ...Object.keys(PUBLIC_EXCEPTIONS)]);
  const routes = buildApp(server.parts)
    .routes.map(({ method, path }) => `${method} ${path}`)
    .filter((name) => /^(POST|PUT|PATCH|DELETE) \/v1\/(?!organization)/.test(name));
  expect(routes.length).toBeGreaterThan(5);
  expect(routes.filter((name) => !known.has(name))).toEqual([]);
});

test("a voice that a key makes or deletes leaves an event with the key", async () => {
  const { voices } = server.parts;
  const { id } = await voices.create({
    ...{ organizationId: server.organizationId, name: "Walked", model: "svc-tts1" },
    parts: { recording: Buffer.from("recording") },
  });
  const { types } = await typesSince(() => server.ask(`/v1/audio/voices/${id}`, { method: "DELETE" }));
  expect(types).toEqual(["voice.deleted"]);
  const { data } = await server.adminGet<{ data: object[] }>(`GET /audit_logs?resource_ids[]=${id}`);
  expect(data).toContainEqual(
    expect.objectContaining({ actor: expect.objectContaining({ type: "api_key" }) }),
  );
});
