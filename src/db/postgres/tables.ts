/** The PostgreSQL tables. drizzle-kit reads them from here, and compares them with the migrations. */
import { tablesOf } from "../schema/all-tables.ts";
import { postgresKit } from "../schema/kit-postgres.ts";

export const {
  adminApiKey,
  alias,
  apiKey,
  attempt,
  billingAccount,
  clientSecret,
  conversation,
  credential,
  creditAccount,
  creditGrant,
  creditReversal,
  event,
  installation,
  invitation,
  mailOutbox,
  member,
  node,
  nodeMinute,
  organization,
  project,
  pronunciation,
  replayableRequest,
  requestedPackage,
  requestLog,
  serviceAccount,
  session,
  stripeEvent,
  topUp,
  upstream,
  usageEvent,
  usageTotal,
  user,
  verification,
  voice,
  voiceConsent,
  voicePart,
  webAsset,
  work,
} = tablesOf(postgresKit);

const { table, text, json } = postgresKit;

/** The limits of organizations, where they are counted in PostgreSQL. Unlogged: a crash empties it. */
export const limitLevel = table("limit_level", {
  organizationId: text("organization_id").primaryKey(),
  buckets: json().$type<object>().notNull(),
  slots: json().$type<object>().notNull(),
});
