/** The tables of organizations, their projects and keys, and of what they and the operator have set up. Times are Unix seconds. */
import { sql } from "drizzle-orm";
import { DATA_RETENTION, END_USER_HEADERS, LOG_ADDRESSES } from "../../kept-data.ts";
import { FACTOR_ONE, PLANS } from "../../plans.ts";
import type { Restrictions } from "../../restrictions.ts";
import { SIGN_UP } from "../../sign-up-policy.ts";
import type { Kit } from "./kit-sqlite.ts";

/** What an organization may use, and what it pays. */
const terms = ({ text, integer, seconds, json }: Pick<Kit, "text" | "integer" | "seconds" | "json">) => ({
  /** The organization's own limits, replacing those of its tier. */
  limitOverrides: json("limit_overrides").$type<Record<string, number>>(),
  /** Prepaid: what was stored before there were plans. */
  plan: text({ enum: PLANS }).notNull().default("prepaid"),
  /** By what list prices are multiplied, in units of 1/10,000; see `src/plans.ts`. */
  priceFactor: integer("price_factor").notNull().default(FACTOR_ONE),
  /** From when on; null: as long as the organization exists. */
  priceFactorFrom: seconds("price_factor_from"),
  /** Which one holds until then. */
  priceFactorBefore: integer("price_factor_before").notNull().default(FACTOR_ONE),
});

export function organizationTables({ table, uniqueIndex, text, integer, seconds, flag, json }: Kit) {
  /** One row, written at the first start by the node that creates the first organization. */
  const installation = table("installation", {
    id: integer().primaryKey(),
    organizationId: text("organization_id").notNull(),
    /** The secret that signs cookies and cursors, if none is configured. */
    secret: text(),
    /** Who may sign up, as operators chose it; null: everybody. Configuration comes first. */
    signUp: text("sign_up", { enum: SIGN_UP }),
  });

  const organization = table("organization", {
    id: text().primaryKey(),
    name: text().notNull(),
    /** `deleted`: only what the law on accounts asks for is left of it. */
    status: text({ enum: ["active", "suspended", "deleted"] }).notNull(),
    ...terms({ text, integer, seconds, json }),
    /** Members need a second factor. */
    requireTwoFactor: flag("require_two_factor").notNull().default(false),
    /** For how long its requests are logged, and new keys last at most; null: as the server says. */
    requestLogDays: integer("request_log_days"),
    keyMaxDays: integer("key_max_days"),
    /** For how long results of jobs are kept, 0: until they are read; null: as the server says. */
    jobResultDays: integer("job_result_days"),
    /** Which part of the addresses of its clients is logged. */
    requestLogAddresses: text("request_log_addresses", { enum: LOG_ADDRESSES }).notNull().default("full"),
    dataRetention: text("data_retention", { enum: DATA_RETENTION }).notNull().default("none"),
    /** Which header of its clients names their user, where their body does not; null: none. */
    endUserHeader: text("end_user_header", { enum: END_USER_HEADERS }),
    /** Names of end users are stored as an HMAC. */
    endUsersHashed: flag("end_users_hashed").notNull().default(false),
    /** The key of that; null: it was never asked for. */
    endUserKey: text("end_user_key"),
    /** What operators noted about it, for operators alone; null: nothing. */
    operatorNote: text("operator_note"),
    /** From when on its request log is complete, where that is later than elsewhere. */
    requestLogsFrom: seconds("request_logs_from"),
    /** When it is deleted; null: it is not to be. */
    deleteAt: seconds("delete_at"),
    createdAt: seconds("created_at").notNull(),
  });

  const project = table(
    "project",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      name: text().notNull(),
      status: text({ enum: ["active", "archived"] }).notNull(),
      isDefault: flag("is_default").notNull(),
      createdAt: seconds("created_at").notNull(),
      archivedAt: seconds("archived_at"),
      /** Null: it may use all that its organization may. */
      restrictions: json().$type<Restrictions>(),
      /** What new keys of it have. */
      defaultKeyRestrictions: json("default_key_restrictions").$type<Restrictions>(),
      /** Null: its organization's. */
      dataRetention: text("data_retention", { enum: DATA_RETENTION }),
    },
    (table) => [uniqueIndex("project_name").on(table.organizationId, table.name)],
  );
  return { installation, organization, project };
}

export type Organizations = ReturnType<typeof organizationTables>;

/** A key's secret is stored only as its SHA-256. */
export function keyTables(
  { table, index, text, seconds, json, bytes }: Kit,
  { organization, project }: Organizations,
) {
  const apiKey = table(
    "api_key",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      projectId: text("project_id")
        .notNull()
        .references(() => project.id),
      name: text().notNull(),
      environment: text({ enum: ["live", "test"] }).notNull(),
      prefix: text().notNull(),
      last4: text().notNull(),
      hash: bytes().notNull().unique(),
      scopes: json().$type<string[]>().notNull(),
      createdAt: seconds("created_at").notNull(),
      createdBy: text("created_by"),
      expiresAt: seconds("expires_at"),
      lastUsedAt: seconds("last_used_at"),
      revokedAt: seconds("revoked_at"),
      rotatedFrom: text("rotated_from"),
      /** Null: a person's, or made on the command line or with an admin key. */
      serviceAccountId: text("service_account_id"),
      /** Null: it may use all that its project may. */
      restrictions: json().$type<Restrictions>(),
    },
    (table) => [
      index("api_key_by_project").on(table.projectId),
      index("api_key_expiring").on(table.expiresAt).where(sql`expires_at is not null`),
    ],
  );

  /** An ephemeral secret for browsers, minted by a key: opens realtime sessions for a limited time. */
  const clientSecret = table(
    "client_secret",
    {
      hash: bytes().primaryKey(),
      keyId: text("key_id")
        .notNull()
        .references(() => apiKey.id),
      /** The initial settings of its sessions, in the API's format. */
      session: json().$type<object>().notNull(),
      createdAt: seconds("created_at").notNull(),
      expiresAt: seconds("expires_at").notNull(),
    },
    (table) => [
      index("client_secret_by_expiry").on(table.expiresAt),
      index("client_secret_by_key").on(table.keyId, table.expiresAt),
    ],
  );
  return { apiKey, clientSecret };
}

export function settingTables({ table, primaryKey, text, flag, json }: Kit, { organization }: Organizations) {
  /** How words are read in the speech of an organization: as other letters, or as IPA. */
  const pronunciation = table(
    "pronunciation",
    {
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      /** By which it is found: small letters, composed, single spaces. */
      key: text().notNull(),
      word: text().notNull(),
      /** One of them is null. */
      alias: text(),
      phonemes: text(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.key] })],
  );

  /** The operator's own aliases: names that clients use, and the models and voices that serve them. */
  const alias = table(
    "alias",
    {
      kind: text({ enum: ["model", "session", "voice"] }).notNull(),
      name: text().notNull(),
      /** Best first; none: the name is switched off. */
      targets: json().$type<string[]>().notNull(),
      format: text(),
    },
    (table) => [primaryKey({ columns: [table.kind, table.name] })],
  );

  /** The operator's upstreams: servers elsewhere whose models this server offers. Credentials are only named in them. */
  const upstream = table("upstream", {
    name: text().primaryKey(),
    /** As JSON; what reads it checks it. */
    definition: json().$type<object>().notNull(),
  });

  /** Who callers talk to, by name: a language model, how it listens and speaks, and its texts. */
  const conversation = table("conversation", {
    name: text().primaryKey(),
    /** As JSON; what reads it checks it. */
    definition: json().$type<object>().notNull(),
    /** One row's: what clients get that name a model of another API. */
    isDefault: flag("is_default").notNull(),
    /** Another after each change, by which the readers of other processes notice it. */
    revision: text().notNull().default(""),
  });
  return { pronunciation, alias, upstream, conversation };
}
