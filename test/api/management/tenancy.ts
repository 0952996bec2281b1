/** An organization with something in every table, and how any route of the contract is called with what is its. */
import type { TSchema } from "typebox";
import type { Role } from "../../../src/accounts/memberships.ts";
import type { Route } from "../../../src/api/management/schema/route.ts";
import { contract } from "../../../src/api/management/schema/routes.ts";
import { newId } from "../../../src/ids.ts";
import type { Fixture, Person } from "./server-fixture.ts";
import { alerted } from "./tenancy-alerts.ts";
import { jobbed } from "./tenancy-jobs.ts";

export const ROUTES: [name: string, route: Route][] = Object.entries<Route>(contract);

export type Tenancy = {
  users: Record<Role, Person>;
  organization: string;
  /** By what paths and fields call them. */
  ids: Record<string, string>;
  /** A cursor of each list that goes on. */
  cursors: Record<string, string>;
  /** What no other organization may ever read. */
  secrets: string[];
};

/** `name` stands in every text of it. */
export async function openTenancy(fixture: Fixture, name: string): Promise<Tenancy> {
  const { accounts } = fixture.parts;
  const { id: organization } = await accounts.createOrganization(`${name} Incorporated`);
  const person = (role: Role) => fixture.person(`${name}-${role}`, { organizationId: organization, role });
  const users = {
    owner: await person("owner"),
    admin: await person("admin"),
    member: await person("member"),
  };
  const { id: project } = await accounts.createProject(organization, `${name} Project`);
  const made = { projectId: project, name: `${name} Key`, environment: "live", expiresAt: null } as const;
  const key = await accounts.createKey({ ...made, scopes: ["speech:create"], createdBy: users.member.id });
  const { id: adminKey } = await accounts.createAdminKey({
    ...{ organizationId: organization, name: `${name} Admin Key`, scopes: ["usage:read"], expiresAt: null },
    createdBy: users.owner.id,
  });
  const { id: serviceAccount } = await accounts.createServiceAccount({
    ...{ projectId: project, name: `${name} Service Account` },
  });
  const request = await used(fixture, { organization, project, key: key.id, name });
  const bought = await buy(fixture, { organization, name });
  const reading = { alias: `${name} reading`, phonemes: null };
  await fixture.parts.pronunciations.put(organization, { word: `${name} word`, ...reading });
  const { id: voice } = await fixture.parts.voices.create({
    ...{ organizationId: organization, name: `${name} Voice`, model: "svc-tts1" },
    parts: { recording: Buffer.from(`${name} recording`) },
  });
  const consent = await fixture.parts.consents.create({
    ...{ organizationId: organization, name: `${name} Consent`, language: "en-GB" },
    recording: Buffer.from(`${name} consent`),
  });
  const [voucher] = await fixture.parts.vouchers.create({ ...VOUCHERS, createdBy: users.owner.id });
  const ids = {
    organization,
    voice,
    consent: consent.id,
    code: voucher!.id,
    project,
    key: key.id,
    adminKey,
    serviceAccount,
    request,
    ...bought,
    ...(await hooked(fixture, { organizationId: organization, name })),
    ...(await alerted(fixture, { organization, project, key: key.id, name })),
    ...(await jobbed(fixture, { organization, project, key: key.id, name })),
    ...(await seats(fixture, organization, name)),
  };
  const cursors: Record<string, string> = {};
  for (const list of ["keys", "requests", "spend-alerts", "jobs", "audit-events"]) {
    const route = `GET /api/organizations/:organization/${list}`;
    const page = await users.owner.get<{ next_cursor: string }>(`${filled(route, ids)}?limit=1`);
    cursors[route] = page.next_cursor;
  }
  const secrets = [
    key.secret.slice(12),
    users.owner.cookie,
    ...Object.values(ids),
    ...Object.values(users).map(({ id }) => id),
  ];
  return {
    users,
    organization,
    cursors,
    secrets,
    ids: {
      ...{ ...ids, ...{ tenant: organization, person: users.member.id }, ...NAMES },
      ...(await hooked(fixture, { organizationId: null, name })),
    },
  };
}

/** Of what has names instead of ids. */
const NAMES = { package: "kokoro-82m", upstream: "far", conversation: "support" };
const VOUCHERS = { amountMicros: 1_000_000, count: 1, days: null };

/** Two keys, three requests, one of them charged: the id of that one. */
async function used(fixture: Fixture, { organization, project, key, name }: Record<string, string>) {
  const of = { organizationId: organization!, projectId: project!, keyId: key!, userAgent: `${name} Agent` };
  const another = {
    projectId: project!,
    name: `${name} Other`,
    environment: "test",
    expiresAt: null,
  } as const;
  await fixture.parts.accounts.createKey({ ...another, scopes: ["catalog:read"] });
  await fixture.request({ ...of, status: 400, errorCode: "invalid_voice" });
  await fixture.request({ ...of, status: 502, errorCode: "inference_unavailable" });
  return (await fixture.request({ ...of, charged: 660 })).id;
}

async function buy({ parts, clock }: Fixture, { organization, name }: Record<string, string>) {
  const { query, tables } = parts.database;
  const organizationId = organization!;
  const createdAt = Math.floor(clock.now() / 1000);
  const [topUp, failed, grant] = [newId("topup", clock), newId("topup", clock), newId("grant", clock)];
  const row = {
    organizationId,
    kind: "top_up",
    amountMicros: 5_000_000,
    refundedMicros: 0,
    createdAt,
  } as const;
  const receiptUrl = `https://pay.example/${name}/receipt`;
  await query.insert(tables.topUp).values([
    { ...row, id: topUp, status: "succeeded", settledAt: createdAt, receiptUrl },
    { ...row, id: failed, status: "failed", problem: `${name} problem` },
  ]);
  await parts.ledger.grant({
    ...{ id: grant, organizationId, kind: "purchase", amountMicros: 5_000_000 },
    ...{ createdAt, expiresAt: createdAt + 86_400, topUpId: topUp },
  });
  await query.insert(tables.billingAccount).values({
    ...{ organizationId, paymentMethodId: `pm_${name}`, cardBrand: name, cardLast4: "4242" },
    ...{ cardExpMonth: 12, cardExpYear: 2030, rechargeEnabled: false, rechargeNotBefore: 0 },
    ...{ rechargeThresholdMicros: 0, rechargeTargetMicros: 5_000_000, rechargeFailures: 0 },
  });
  return { topUp, invoice: topUp.replace("topup_", "invc_"), grant };
}

/** A webhook endpoint that is never reached, and what was to be sent to it. `organizationId` null: the server's. */
export async function hooked(
  { parts, clock }: Fixture,
  { organizationId, name }: { organizationId: string | null; name: string },
): Promise<Record<string, string>> {
  const { query, tables } = parts.database;
  const [endpoint, delivery] = [newId("whe", clock), newId("evt", clock).replace("evt_", "dlv_")];
  const createdAt = Math.floor(clock.now() / 1000);
  await query.insert(tables.webhookEndpoint).values({
    ...{ id: endpoint, organizationId, name: `${name} Hook`, url: "http://127.0.0.1:9/", eventTypes: ",x," },
    ...{ secret: "", secretHint: "whsec_…", status: "enabled", failures: 0, enabledAt: createdAt },
    ...{ createdAt, updatedAt: createdAt },
  });
  await query.insert(tables.webhookDelivery).values({
    ...{ id: delivery, endpointId: endpoint, eventId: newId("evt", clock), eventType: "voice.created" },
    ...{ status: "failed", sends: 1, attempts: 1, createdAt },
  });
  return organizationId === null
    ? { serverEndpoint: endpoint, serverDelivery: delivery }
    : { endpoint, delivery };
}

/** An invitation that waits, and the id of a seat. */
async function seats({ parts, clock }: Fixture, organizationId: string, name: string) {
  const { query, tables } = parts.database;
  const members = (await query.select().from(tables.member)).filter(
    (row) => row.organizationId === organizationId,
  );
  const [createdAt, expiresAt] = [new Date(clock.now()), new Date(clock.now() + 86_400_000)];
  const invitation = newId("inv", clock);
  await query.insert(tables.invitation).values({
    ...{ id: invitation, organizationId, email: `${name.toLowerCase()}-guest@example.com`, role: "member" },
    ...{ status: "pending", inviterId: members[0]!.userId, createdAt, expiresAt },
  });
  return { invitation, seat: members.at(-1)!.id };
}

/** A path with its ids. A name that is unknown here is a test that is missing. */
export const filled = (route: string, ids: Record<string, string>): string =>
  route.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? unknown(route, `an id :${name} in its path`));

/** What a query may name of a tenancy, by the parameter that names it; and ids that do not exist. */
const NAMING: Record<string, string> = {
  project_id: "project",
  organization_id: "organization",
  key_id: "key",
  id: "request",
  created_by: "person",
  project_ids: "project",
  actor_ids: "person",
  resource_ids: "key",
};
const HARMLESS = [
  ...["start", "end", "bucket", "group_by", "environment", "model", "endpoint", "measure"],
  ...["status", "error_code", "limit", "cursor", "format", "search", "order", "playground", "language"],
  ...["event_types", "actor_types", "actor_emails", "scope", "end_user", "label", "month"],
];

/** The ids of a world in whatever parameters a route has for them; "" where it has none. */
export function queryOf(name: string, route: Route, { ids }: Tenancy): string {
  const fields = Object.keys((route.query as { properties?: object } | undefined)?.properties ?? {});
  const values = fields.flatMap((field) => {
    if (HARMLESS.includes(field)) return [];
    const id = ids[NAMING[field] ?? unknown(name, `${field} in its query`)];
    return [[field, id!] as [string, string]];
  });
  return new URLSearchParams(values).toString();
}

const BODIES: Record<string, object> = {
  "POST /api/account/delete": {},
  "POST /api/organizations/:organization/spend-alerts": {
    ...{ threshold_amount: 100, notification_channel: { type: "webhook" } },
  },
  "PATCH /api/organizations/:organization/spend-alerts/:spendAlert": { threshold_percent: 80 },
  "PUT /api/organizations/:organization/two-factor": { required: false },
  "PUT /api/organizations/:organization/billing/balance-alert": { balance_alert_micros: 10_000 },
  "PUT /api/organizations/:organization/billing/details": {
    ...{ company: "Ada Incorporated", email: "invoices@example.com", tax_id: null, purchase_order: null },
    address: null,
  },
  "PUT /api/organizations/:organization/billing/auto-recharge": {
    ...{ enabled: false, threshold_micros: 0, target_micros: 6_000_000 },
  },
  ...Object.fromEntries(
    (
      [
        ["/api/organizations/:organization/webhooks", ":endpoint", "voice.created"],
        ["/api/operator/webhooks", ":serverEndpoint", "node.lost"],
      ] as const
    ).flatMap(([path, id, type]) => [
      [`POST ${path}`, { name: "Made", url: "https://8.8.8.8/never-sent", event_types: [type] }],
      [`PATCH ${path}/${id}`, { name: "Changed", event_types: [type] }],
      [`POST ${path}/${id}/test`, { event_type: type }],
    ]),
  ),
  "POST /api/operator/upstreams": {
    ...{ name: "far", preset: "whisper-cpp", urls: ["http://127.0.0.1:9"], models: ["whisper"] },
  },
  "PUT /api/operator/conversations": { name: "support" },
  "PUT /api/organizations/:organization/pronunciations": { word: "nginx", alias: "engine x" },
  "POST /api/organizations/:organization/pronunciations/import": { text: "word,alias\nnginx,engine x" },
  "POST /api/organizations/:organization/pronunciations/remove": { word: "nginx" },
  "PUT /api/operator/prices": { model: "svc-tts1", unit_price_micros: 1 },
  "PUT /api/operator/aliases": { kind: "model", name: "mine", targets: ["svc-tts1"] },
  "POST /api/operator/aliases/remove": { kind: "voice", name: "alloy" },
  "POST /api/operator/aliases/reset": { kind: "model", name: "tts-1" },
};

/** A body that a route takes. */
export const bodyOf = (name: string, { body }: Route): unknown =>
  BODIES[name] ?? (body ? sampleOf(name, body as Shape) : undefined);

type Shape = TSchema & {
  type?: string;
  enum?: unknown[];
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  minimum?: number;
};

function sampleOf(name: string, schema: Shape): unknown {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(name, schema.anyOf[0]!);
  if (schema.type === "string") return `By ${name}`;
  if (schema.type === "boolean") return true;
  if (schema.type === "integer" || schema.type === "number") return schema.minimum ?? FAR_AWAY;
  if (schema.type === "array") return [sampleOf(name, schema.items!)];
  if (schema.type !== "object") return unknown(name, `a field of type ${schema.type} in its body`);
  const fields = Object.entries(schema.properties!).map(([field, inner]) => [
    field,
    field in SAMPLES ? SAMPLES[field] : sampleOf(name, inner),
  ]);
  return Object.fromEntries(fields);
}

/** By field. A limit of days would refuse keys that end far away. */
const SAMPLES: Record<string, unknown> = { addresses: ["203.0.113.0/24"], key_max_days: null };
const FAR_AWAY = 4_000_000_000; // a time to come, where it is one

function unknown(route: string, what: string): never {
  throw new Error(`${route} has ${what} that this test does not know: name it in tenancy.ts`);
}
