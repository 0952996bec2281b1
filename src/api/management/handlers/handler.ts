/** The types of management handlers: functions of an authorized caller and validated input; and their dependencies. */
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Role } from "../../../accounts/memberships.ts";
import type { Session } from "../../../accounts/principal.ts";
import type { AlertRecipients } from "../../../alerts/recipients.ts";
import type { SpendAlerts } from "../../../alerts/spend-alerts.ts";
import type { Audit } from "../../../audit/audit-events.ts";
import type { AuditReads } from "../../../audit/audit-reads.ts";
import type { Billing } from "../../../billing/billing.ts";
import type { SellingTests } from "../../../billing/selling-tests.ts";
import type { Vouchers } from "../../../billing/vouchers.ts";
import type { Clock } from "../../../clock.ts";
import type { Cluster } from "../../../cluster/cluster.ts";
import type { Machines } from "../../../cluster/machines.ts";
import type { SharedActivity } from "../../../cluster/shared-activity.ts";
import type { Config } from "../../../config/config.ts";
import type { EngineRegistry } from "../../../engine/registry.ts";
import { Refusal } from "../../../errors.ts";
import type { Files } from "../../../files/files.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import type { Identity } from "../../../identity/identity.ts";
import type { ServerUsers } from "../../../identity/server-users.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { LimitStore } from "../../../limits/limits.ts";
import type { Log } from "../../../log/log.ts";
import type { Metrics } from "../../../metrics/metrics.ts";
import type { AliasAdmin } from "../../../models/alias-admin.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { ConversationAdmin } from "../../../models/conversation-admin.ts";
import type { PriceAdmin } from "../../../models/price-admin.ts";
import type { PackageRequests } from "../../../models/pull/package-requests.ts";
import type { PullQueue } from "../../../models/pull/pull-queue.ts";
import type { Pronunciations } from "../../../pronunciations/pronunciations.ts";
import type { UpstreamAdmin } from "../../../upstreams/edits.ts";
import type { UpstreamOperations } from "../../../upstreams/operations.ts";
import type { ServerStatus } from "../../../upstreams/upstream.ts";
import type { UpstreamSet } from "../../../upstreams/upstreams.ts";
import type { Consents } from "../../../voices/consents.ts";
import type { Voices } from "../../../voices/voices.ts";
import type { Webhooks } from "../../../webhooks/outgoing-webhooks.ts";
import type { PublicOrigin } from "../../middleware/public-origin.ts";
import type { BodyOf, Ids, QueryOf, ReplyOf, Route, Routes } from "../schema/route.ts";

/** The caller of a route: anonymous, a user, or a user with a role in an organization. */
type Caller<R extends Route> = R["needs"] extends "anyone"
  ? { session: null }
  : R["needs"] extends "user" | "operator"
    ? { session: Session }
    : { session: Session; role: Role; organizationId: string };

/** `ids`: those of the path. The first belongs to the caller's organization; others are unchecked. */
type Call<R extends Route, Path extends string = string> = Caller<R> & {
  ids: Ids<Path>;
  query: QueryOf<R>;
  body: BodyOf<R>;
  /** Aborts when the caller has left. */
  signal: AbortSignal;
};

/** Void if the route has no reply. */
type Answer<R extends Route> = undefined extends ReplyOf<R> ? Promise<void> : Promise<ReplyOf<R>>;

export type Handlers<C extends Routes> = {
  [Path in keyof C & string]: (call: Call<C[Path], Path>) => Answer<C[Path]>;
};

/** A complete list as one page. */
export const listed = <T>(data: T[]) => pageOf(data, null);

/** A page, and the cursor of the next one; null if it is the last. */
export const pageOf = <T>(data: T[], next: string | null) => ({
  object: "list" as const,
  data,
  has_more: next !== null,
  next_cursor: next,
});

export type ManagementDeps = {
  config: Config;
  address: PublicOrigin;
  accounts: Accounts;
  identity: Identity;
  serverUsers: ServerUsers;
  sellingTests: SellingTests;
  billing: Billing;
  vouchers: Vouchers;
  ledger: Ledger;
  limits: LimitStore;
  catalogue: Catalogue;
  cluster: Cluster;
  machines: Pick<Machines, "now">;
  aliases: AliasAdmin;
  prices: PriceAdmin;
  conversations: ConversationAdmin;
  upstreams: { set: UpstreamSet; servers(name: string): ServerStatus[] };
  upstreamAdmin: UpstreamAdmin;
  upstreamOperations: UpstreamOperations;
  registry: EngineRegistry;
  /** Null: the database has tools of its own. Resolves once there is something; what is not whole ends with an error. */
  backup: ((signal: AbortSignal) => Promise<AsyncGenerator<Uint8Array>>) | null;
  /** The port of Wyoming on the node that answers. */
  wyoming: {
    isFixed: boolean;
    current(): WyomingSetting | null;
    set(wanted: WyomingSetting | null): Promise<void>;
  };
  pulls: PullQueue;
  packageRequests: PackageRequests;
  pronunciations: Pronunciations;
  voices: Voices;
  consents: Consents;
  webhooks: Webhooks;
  spendAlerts: SpendAlerts;
  alertRecipients: AlertRecipients;
  files: Files;
  jobs: Jobs;
  speechJobs: SpeechJobs;
  auditReads: AuditReads;
  audit: Audit;
  metrics: Metrics;
  sharedActivity: SharedActivity;
  clock: Clock;
  log: Log;
};

type WyomingSetting = { port: number; keyId: string };

type HandlerDeps = ManagementDeps & { signatures: Signatures };

/** Of these, what a group of handlers reads. */
export type Reads<Name extends keyof HandlerDeps> = Pick<HandlerDeps, Name>;

/** The same for missing rows and for rows of other organizations. */
export const notFound = (kind: string) => new Refusal("not_found", `There is no such ${kind}.`);

/** A row that existed during authorization may be gone. */
export function orNotFound<T>(kind: string, row: T | null): T {
  if (row === null) throw notFound(kind);
  return row;
}
