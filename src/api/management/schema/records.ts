/**
 * The records of the management API, field for field. Money is micros of a US dollar, times are Unix seconds.
 *
 * Both the server's responses and the dashboard are typed by them.
 */

import Type, { type TSchema } from "typebox";
import { BudgetUse } from "../../../budget-use.ts";
import { UNITS } from "../../../charged-units.ts";
import {
  DATA_RETENTION,
  END_USER_HEADERS,
  LOG_ADDRESSES,
  LOG_DAYS_MAX,
  RESULT_DAYS_MAX,
} from "../../../kept-data.ts";
import { PLANS } from "../../../plans.ts";
import { ProjectRestrictionsFields, RestrictionsFields } from "../../../restrictions.ts";
import { SCOPES } from "../../../scopes.ts";

export const Text = Type.String();
export const Whole = Type.Integer();
export const Flag = Type.Boolean();
export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const oneOf = <T extends string[]>(...values: T) => Type.Enum<T>(values);

/** A list; one that can grow without bound has a cursor. */
export const listOf = <S extends TSchema>(item: S) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    has_more: Flag,
    next_cursor: nullable(Text),
  });

export const Environment = oneOf("live", "test");
export const Role = oneOf("owner", "admin", "member");
export const Tier = oneOf("free", "paid");
/** `unmetered`: nothing is deducted, and no credit is needed. */
export const Plan = Type.Enum([...PLANS]);
export const Unit = Type.Enum([...UNITS]);
export const Scope = Type.Enum([...SCOPES]);

export const UserRecord = Type.Object({
  id: Text,
  object: Type.Literal("user"),
  email: Text,
  name: Text,
  email_verified: Flag,
  operator: Flag,
  created_at: Whole,
});

const Limits = {
  requests_per_minute: Whole,
  concurrent_requests: Whole,
  tts_characters_per_minute: Whole,
  stt_seconds_per_minute: Whole,
  waiting_jobs: Whole,
  running_jobs: Whole,
  job_seconds: Whole,
  stored_bytes: Whole,
};
export const LimitOverrides = Type.Partial(Type.Object(Limits));

/**
 * `suspended`: its keys are refused, because an operator suspended it or it is about to be deleted. `deleted`: what it had paid
 * for is kept, as accounts must be.
 */
export const OrganizationStatus = oneOf("active", "suspended", "deleted");

export const Deletion = {
  /** When it is or was deleted, in Unix seconds; null: it is not to be. Until then an owner or an operator can undo it. */
  delete_at: nullable(Whole),
};

/** What is kept, and for how long; null: as the server says. */
export const Retention = {
  request_log_days: nullable(Type.Integer({ minimum: 1, maximum: LOG_DAYS_MAX })),
  request_log_addresses: Type.Enum([...LOG_ADDRESSES]),
  data_retention: Type.Enum([...DATA_RETENTION]),
  /** How many days new keys last at most. */
  key_max_days: nullable(Type.Integer({ minimum: 1, maximum: 36_500 })),
  /** 0: until they are read. */
  job_result_days: nullable(Type.Integer({ minimum: 0, maximum: RESULT_DAYS_MAX })),
  /** Which header of a client names its user, where the body does not; null: none. */
  end_user_header: nullable(Type.Enum([...END_USER_HEADERS])),
  /** Names of end users are stored as an HMAC. */
  end_users_hashed: Flag,
};

export const OrganizationRecord = Type.Object({
  id: Text,
  object: Type.Literal("organization"),
  name: Text,
  plan: Plan,
  tier: Tier,
  status: OrganizationStatus,
  /** Members need a second factor. */
  require_two_factor: Flag,
  created_at: Whole,
  ...Retention,
  monthly_spending_limit_micros: nullable(Whole),
  lifetime_purchased_micros: Whole,
  limit_overrides: nullable(LimitOverrides),
  ...Deletion,
});

/** An organization in a session, with the user's role. */
export const Membership = Type.Object({
  ...{ id: Text, name: Text, role: Role, plan: Plan, tier: Tier },
  require_two_factor: Flag,
});

/** What a key or a project may use at most, beside what its organization may; null: as much. */
export const Restrictions = nullable(RestrictionsFields);
/** Without addresses, which are a key's. */
export const ProjectRestrictions = nullable(ProjectRestrictionsFields);

export const ProjectRecord = Type.Object({
  id: Text,
  object: Type.Literal("project"),
  organization_id: Text,
  name: Text,
  status: oneOf("active", "archived"),
  is_default: Flag,
  created_at: Whole,
  archived_at: nullable(Whole),
  restrictions: Restrictions,
  budget_period: nullable(BudgetUse),
  /** What its new keys have. */
  default_key_restrictions: Restrictions,
  /** Null: its organization's. */
  data_retention: nullable(Type.Enum([...DATA_RETENTION])),
});

export const KeyRecord = Type.Object({
  id: Text,
  object: Type.Literal("api_key"),
  organization_id: Text,
  project_id: Text,
  name: Text,
  environment: Environment,
  prefix: Text,
  last4: Text,
  scopes: Type.Array(Text),
  status: oneOf("active", "revoked", "expired"),
  created_at: Whole,
  created_by: nullable(Text),
  /** The service account that it belongs to, in place of a user. */
  service_account_id: nullable(Text),
  expires_at: nullable(Whole),
  last_used_at: nullable(Whole),
  revoked_at: nullable(Whole),
  rotated_from: nullable(Text),
  restrictions: Restrictions,
  budget_period: nullable(BudgetUse),
});

/** The only time a secret is seen. */
export const KeyWithSecret = Type.Object({ ...KeyRecord.properties, secret: Text });

export const Gauge = Type.Object({
  limit: Whole,
  remaining: Type.Number(),
  /** Time until it is full again. */
  reset_seconds: Type.Number(),
});

export const GrantRecord = Type.Object({
  id: Text,
  object: Type.Literal("credit_grant"),
  kind: oneOf("starting", "purchase", "adjustment", "voucher"),
  amount_micros: Whole,
  remaining_micros: Whole,
  created_at: Whole,
  expires_at: nullable(Whole),
  status: oneOf("active", "depleted", "expired"),
  top_up_id: nullable(Text),
  /** Why an operator gave it. */
  reason: nullable(Text),
  /** What a refund, a dispute or an operator took back of it, oldest first. */
  reversals: Type.Array(
    Type.Object({
      id: Text,
      kind: oneOf("refund", "dispute", "correction"),
      amount_micros: Whole,
      overdraft_micros: Whole,
      reason: nullable(Text),
      created_at: Whole,
    }),
  ),
});

export const AutoRecharge = Type.Object({
  enabled: Flag,
  threshold_micros: Whole,
  target_micros: Whole,
  /** In a row; the third switches it off. */
  failures: Whole,
  /** The code of the last failure, for example `card_declined`; null after a success. */
  problem: nullable(Text),
});

const PaymentMethod = Type.Object({ brand: Text, last4: Text, exp_month: Whole, exp_year: Whole });

const Price = Type.Object({
  model: Text,
  name: Text,
  unit: Unit,
  /** Micros of a million units. */
  unit_price_micros: Whole,
  /** The same in the background, where it can be done there. */
  background_unit_price_micros: Type.Optional(Whole),
  /** What it will cost, in Unix seconds from then on; absent: no change is planned. */
  next: Type.Optional(
    Type.Object({
      unit_price_micros: Whole,
      background_unit_price_micros: Type.Optional(Whole),
      valid_from: Whole,
    }),
  ),
});

/** By what list prices are multiplied while the plan is prepaid. */
export const PriceFactors = Type.Object({
  price_factor: Type.Number(),
  /** Since when it holds, or from when on `next_price_factor` will; null: it never changed. */
  price_factor_from: nullable(Whole),
  next_price_factor: nullable(Type.Number()),
});

export const BillingRecord = Type.Object({
  object: Type.Literal("billing"),
  plan: Plan,
  balance_micros: Whole,
  overdraft_micros: Whole,
  tier: Tier,
  lifetime_purchased_micros: Whole,
  month_to_date_micros: Whole,
  monthly_spending_limit_micros: nullable(Whole),
  /** The balance below which owners are told by mail; null: they are not. */
  balance_alert_micros: nullable(Whole),
  /** Who is told besides them. Only a `member` and who `confirmed` gets mail. */
  balance_alert_recipients: Type.Array(
    Type.Object({ email: Text, state: oneOf("member", "confirmed", "pending", "unsubscribed") }),
  ),
  banner: oneOf("none", "low_balance", "out_of_credits"),
  auto_recharge: AutoRecharge,
  payment_method: nullable(PaymentMethod),
  /** What the organization pays. */
  prices: Type.Array(Price),
  /** How that differs from list prices; null: nothing is sold. */
  price_factors: nullable(PriceFactors),
  /** Whether payments are enabled on this server. */
  payments: Flag,
  /** Whether payments get invoices. */
  invoices: Flag,
});
