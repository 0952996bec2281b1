/** Routes of operators: organizations and model packages. */
import Type from "typebox";
import { TopUpRecord } from "./payment-records.ts";
import {
  Deletion,
  GrantRecord,
  KeyRecord,
  LimitOverrides,
  listOf,
  nullable,
  OrganizationStatus,
  Plan,
  PriceFactors,
  Role,
  Text,
  Tier,
  Whole,
} from "./records.ts";
import type { Routes } from "./route.ts";
import { RequestRecord, UsageBucket, UsageTotals } from "./usage-records.ts";

export const TenantRecord = Type.Object({
  id: Text,
  object: Type.Literal("organization"),
  name: Text,
  plan: Plan,
  tier: Tier,
  status: OrganizationStatus,
  /** The organization of the server's first start, which can be neither suspended nor deleted. */
  is_first: Type.Boolean(),
  created_at: Whole,
  members: Whole,
  balance_micros: Whole,
  overdraft_micros: Whole,
  month_to_date_micros: Whole,
  /** At list price, deducted or not. */
  month_usage_micros: Whole,
  monthly_spending_limit_micros: nullable(Whole),
  ...PriceFactors.properties,
  limit_overrides: nullable(LimitOverrides),
  /** Those of its plan and tier, which hold where nothing overrides them. */
  default_limits: LimitOverrides,
  ...Deletion,
});

const Pull = nullable(
  Type.Object({
    status: Type.Enum(["running", "failed"]),
    bytes: Whole,
    total: Whole,
    message: nullable(Text),
    /** Of what failed: why, in one sentence. */
    summary: nullable(Text),
    /** Of what failed: when the server tries again by itself. */
    next_try_at: nullable(Whole),
  }),
);

const Package = Type.Object({
  name: Text,
  object: Type.Literal("package"),
  title: Text,
  version: Text,
  family: Text,
  bytes: nullable(Whole),
  license: Type.Object({ spdx: Text, url: Text, acceptance: Type.Boolean() }),
  installed_version: nullable(Text),
  /** Its precisions, the one that suits this machine first; several can be installed. Empty where it has one only. */
  variants: Type.Array(Type.Object({ name: Text, bytes: nullable(Whole), installed: Type.Boolean() })),
  recommended: Type.Boolean(),
  /** What its models do: synthesis, recognition, streaming-recognition, or what supports those. */
  task: Text,
  /** What it speaks or recognizes; empty for packages that support others. */
  languages: Type.Array(Text),
  /** Its own voices; empty where models name them. A style or description that is not known is empty. */
  voices: Type.Array(
    Type.Object({
      id: Text,
      name: Text,
      language: Text,
      locale: Text,
      gender: Text,
      style: Text,
      description: Text,
    }),
  ),
  /** Seconds of audio for each second of work, as it was measured on two CPU cores; null where it was not. */
  speed: nullable(Type.Number()),
  /**
   * The same on this server since it started, without tasks that waited for the engine to load; before that, as it was
   * measured when it was installed; or null.
   */
  local_speed: nullable(Type.Number()),
  /** A voice that speaks with it now, and the model to ask for it; null if it is not installed or does not speak. */
  sample: nullable(Type.Object({ model: Text, voice: Text, language: Text })),
  /** The running or last failed pull, or null. */
  pull: Pull,
  /** The same of each node that shares the database, this one among them. */
  nodes: Type.Array(Type.Object({ id: Text, installed_version: nullable(Text), pull: Pull })),
});

/** Null: nothing is noted. */
const OperatorNote = Type.Object({ object: Type.Literal("organization_note"), note: nullable(Text) });

/** An organization as its operator sees it: what its members see, without what they send. */
const TenantDetail = Type.Object({
  ...TenantRecord.properties,
  /** Of operators, which its members never read. */
  operator_note: nullable(Text),
  people: Type.Array(Type.Object({ id: Text, name: Text, email: Text, role: Role, joined_at: Whole })),
  /** The newest 100. */
  keys: Type.Array(KeyRecord),
  grants: Type.Array(GrantRecord),
  /** The last 30 days, by day. */
  usage: Type.Object({ data: Type.Array(UsageBucket), totals: UsageTotals }),
  /** The newest 10. */
  requests: Type.Array(RequestRecord),
});

/** Of one day, UTC. */
const LoadDay = Type.Object({
  start: Whole,
  end: Whole,
  /** Requests that were refused with 402, 403 or 429, most first; of a flood, 60 a minute are logged, and counted here. */
  refused: Type.Array(Type.Object({ status: Whole, error_code: nullable(Text), requests: Whole })),
  /** The most requests at once; null where there are more than 100,000 newer ones. */
  peak_concurrency: nullable(Whole),
});

const Reason = Type.String({ minLength: 1, maxLength: 200 });

export const operatorRoutes = {
  "GET /api/operator/organizations": {
    summary: "List all organizations",
    needs: "operator",
    reply: listOf(TenantRecord),
  },
  "GET /api/operator/organizations/:tenant": {
    summary: "Retrieve an organization with its members, keys, grants, usage and latest requests",
    needs: "operator",
    reply: TenantDetail,
  },
  "GET /api/operator/organizations/:tenant/load": {
    summary:
      "Get an organization's refused requests and its most requests at once, by day, of the last 30 days",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("load"),
      /** That it has now. */
      concurrency_limit: Whole,
      data: Type.Array(LoadDay),
    }),
  },
  "PATCH /api/operator/organizations/:tenant": {
    summary:
      "Change an organization's plan, suspend or resume it, set or reset its own limits, and set its price factor",
    needs: "operator",
    confirms: true,
    body: Type.Object({
      plan: Type.Optional(Plan),
      status: Type.Optional(Type.Enum(["active", "suspended"])),
      limit_overrides: Type.Optional(nullable(LimitOverrides)),
      monthly_spending_limit_micros: Type.Optional(nullable(Type.Integer({ minimum: 0 }))),
      /** By which its list prices are multiplied: 0 to 10, with at most four decimals. */
      price_factor: Type.Optional(Type.Number({ minimum: 0, maximum: 10 })),
      /** From when on it holds; absent or null: at once. */
      price_factor_from: Type.Optional(nullable(Type.Integer())),
    }),
    reply: TenantRecord,
  },
  "PUT /api/operator/organizations/:tenant/note": {
    summary: "Note something about an organization, which only operators read; null removes it",
    needs: "operator",
    body: Type.Object({ note: nullable(Type.String({ minLength: 1, maxLength: 5000 })) }),
    reply: OperatorNote,
  },
  "POST /api/operator/organizations/:tenant/credit": {
    summary: "Grant credit to an organization; idempotent under an idempotency_key",
    needs: "operator",
    confirms: true,
    status: 201,
    body: Type.Object({
      amount_micros: Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 }),
      days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 36_500 }))),
      reason: Type.Optional(nullable(Reason)),
      idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    reply: TenantRecord,
  },
  "POST /api/operator/organizations/:tenant/credit/:grant/revoke": {
    summary:
      "Take credit of a grant back, idempotent under an idempotency_key; all that remains without an amount",
    needs: "operator",
    confirms: true,
    status: 201,
    body: Type.Object({
      amount_micros: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000_000 })),
      /** Also what was spent already: the organization then owes it. */
      overdraft: Type.Optional(Type.Boolean()),
      reason: Reason,
      idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    reply: TenantRecord,
  },
  "POST /api/operator/organizations/:tenant/top-ups/:topUp/refund": {
    summary:
      "Refund a part of a payment, tax included, with a credit note; takes that part of the credit back. Idempotent under an idempotency_key",
    needs: "operator",
    confirms: true,
    status: 201,
    body: Type.Object({
      amount_micros: Type.Integer({ minimum: 10_000, maximum: 1_000_000_000_000, multipleOf: 10_000 }),
      idempotency_key: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
    }),
    reply: TopUpRecord,
  },
  "GET /api/operator/models": {
    summary: "List model packages, installed and available",
    needs: "operator",
    reply: Type.Object({ object: Type.Literal("list"), data: Type.Array(Package) }),
  },
  "POST /api/operator/models/:package/pull": {
    summary: "Have every node pull a model package, or one variant of it; the list shows its progress",
    needs: "operator",
    status: 202,
    body: Type.Object({
      accept_license: Type.Optional(Type.Boolean()),
      variant: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    }),
    reply: Package,
  },
  "DELETE /api/operator/models/:package/pull": {
    summary: "Cancel the pull of a model package; what was downloaded is kept for the next one",
    needs: "operator",
  },
  "DELETE /api/operator/models/:package": {
    summary: "Remove a model package from every node, or one variant of it from this one",
    needs: "operator",
    confirms: true,
    query: Type.Object({ variant: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }),
  },
} as const satisfies Routes;
