/**
 * Opens all services of a server, and closes them in reverse order. Threads and processes start on first use, so a command
 * that only lists voices opens no engine.
 */
import { join } from "node:path";
import { openPublicOrigin, type PublicOrigin } from "../api/middleware/public-origin.ts";
import { type Billing, openBilling } from "../billing/billing.ts";
import type { Mailing } from "../billing/owner-mail.ts";
import type { Payments } from "../billing/payments.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Cluster, openCluster, type Skew } from "../cluster/cluster.ts";
import { type SharedActivity, shareActivity } from "../cluster/shared-activity.ts";
import type { Config } from "../config/config.ts";
import { openEventRows } from "../db/queries/event-rows.ts";
import { openNodeMinuteRows } from "../db/queries/node-minute-rows.ts";
import { openNodeRows } from "../db/queries/node-rows.ts";
import { openPackageRequestRows } from "../db/queries/package-request-rows.ts";
import { openWorkRows } from "../db/queries/work-rows.ts";
import { type ApiFleet, openApiFleet } from "../engine-nodes/api-fleet.ts";
import { signingSecret } from "../identity/better-auth.ts";
import { type Identity, openIdentity } from "../identity/identity.ts";
import type { Deliver, openSender } from "../identity/mail.ts";
import { type MailOutbox, openMailOutbox } from "../identity/mail-outbox.ts";
import { takeInAdvance } from "../limits/advance/advance.ts";
import { atCommonTime } from "../limits/common-time.ts";
import { failOver } from "../limits/fail-over.ts";
import type { LimitStore } from "../limits/limits.ts";
import { openPostgresLimits } from "../limits/postgres.ts";
import { openSqliteLimits } from "../limits/sqlite.ts";
import { machineLimits } from "../limits/tiers.ts";
import { type Log, openProcessLog } from "../log/log.ts";
import { type Budget, openBudget } from "../memory/budget.ts";
import { type Metrics, openMetrics } from "../metrics/metrics.ts";
import type { AliasAdmin } from "../models/alias-admin.ts";
import type { ConversationAdmin } from "../models/conversation-admin.ts";
import { openPackageRequests, type PackageRequests } from "../models/pull/package-requests.ts";
import { openPullable } from "../models/store/known-packages.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { UpstreamAdmin } from "../upstreams/edits.ts";
import type { UpstreamOperations } from "../upstreams/operations.ts";
import { type Activity, openActivity } from "../usage/activity.ts";
import type { Remedies } from "../usage/admission.ts";
import { type Meter, openMeter } from "../usage/meter.ts";
import { openRetention } from "../usage/retention.ts";
import { openWork, type Work } from "../work/work-queue.ts";
import { followEdits } from "./follow-edits.ts";
import { type Inference, openInference } from "./inference.ts";
import { type DataDisk, openDataDisk } from "./monitoring/data-disk.ts";
import { watchDatabase } from "./monitoring/database-watch.ts";
import { type Descriptors, watchDescriptors } from "./monitoring/descriptors.ts";
import { reportOf } from "./monitoring/node-report.ts";
import { engineEvents, observeNodes, observeServer, workersEnded } from "./monitoring/observations.ts";
import { openTraces } from "./monitoring/traces.ts";
import { openStorage, type Storage } from "./storage.ts";

export type Services = AsyncDisposable &
  Inference &
  Storage & {
    config: Config;
    address: PublicOrigin;
    aliases: AliasAdmin;
    conversations: ConversationAdmin;
    upstreamAdmin: UpstreamAdmin;
    upstreamOperations: UpstreamOperations;
    identity: Identity;
    work: Work;
    mailOutbox: MailOutbox;
    billing: Billing;
    budget: Budget;
    limits: LimitStore;
    cluster: Cluster;
    packageRequests: PackageRequests;
    clock: Clock;
    log: Log;
    disk: DataDisk;
    descriptors: Descriptors;
    meter: Meter;
    metrics: Metrics;
    activity: Activity;
    sharedActivity: SharedActivity;
    /** Null where no engine nodes are configured. */
    fleet: ApiFleet | null;
    /** Null where no collector is configured. */
    tracing: Tracing | null;
  };

export async function openServices(
  config: Config,
  clock: Clock = systemClock,
  log: Log = openProcessLog({ ...config.log, node: config.node }),
): Promise<Services> {
  await using stack = new AsyncDisposableStack(); // closes what was opened if a later service fails to open
  const metrics = openMetrics();
  const tracing = stack.use(await openTraces(config.traces, log, metrics));
  const activity = openActivity(clock);
  const ended = workersEnded(metrics, log);
  const committed = (ms: number) => metrics.record("loquat_ledger_commit_duration_seconds", ms / 1000);
  const damagedLog = (kept: string) => log.error("database_log_damaged", { kept });
  const onThread = { clock, writer: "thread", committed, ended, damagedLog } as const;
  const storage = stack.use(await openStorage(config, onThread));
  stack.use(watchDatabase(() => storage.database.probe(), log));
  const skew = { ms: 0 };
  const limits = stack.use(await openLimits(config, { ...storage, skew, clock, log, metrics }));
  const address = openPublicOrigin(config.http);
  const common = { now: () => clock.now() - skew.ms };
  const work = stack.use(
    openWork({ rows: openWorkRows(storage.database), node: config.node, clock: common, log }),
  );
  const people = await openPeople(stack, config, { storage, work, origin: address.origin, clock, log });
  const { billing } = people;
  const events = openEventRows(storage.database);
  stack.use(openRetention({ ledger: storage.ledger, accounts: storage.accounts, events, clock, log }));
  const { engine } = config;
  const requestLines = config.log.requests;
  const machine = machineLimits(engine.threads);
  const counting = { ledger: storage.ledger, limits, machine, clock, log, metrics, activity, requestLines };
  const disk = openDataDisk(config.data.folder, { clock, log });
  const descriptors = stack.use(watchDescriptors(log));
  const meter = stack.use(
    openMeter({ ...counting, ...disk, charged: billing.charged, remedies: remediesOf(config, address) }),
  );
  const budget = openBudget(config.engine.memoryMb * 1024 * 1024);
  const fleet = openApiFleet(config, log, metrics);
  if (fleet) stack.use(fleet);
  const engines = stack.use(openInference(config, engineEvents(metrics, ended, log), fleet?.fleet));
  stack.use(observeServer(metrics, { registry: engines.registry, activity, budget }));
  const cluster = stack.use(
    openOwnNode(config, { ...storage, ...engines, activity, skew, clock, log, metrics, fleet }),
  );
  const sharedActivity = stack.use(activityOfAll(config, { ...storage, activity, clock }));
  const packageRequests = stack.use(requestsOf(config, { ...storage, ...engines, clock, log }));
  await packageRequests.asked;
  const edited = await followEdits(stack, config, { ...storage, ...engines, clock, log });
  const opened = stack.move();
  return {
    ...engines,
    ...storage,
    ...people,
    ...{ work, config, address, ...edited, budget, limits, cluster, packageRequests },
    ...{ clock, log, disk, descriptors, meter, metrics, activity, sharedActivity, tracing, fleet },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

type PeopleDeps = Pick<Services, "work" | "clock" | "log"> &
  Pick<PublicOrigin, "origin"> & { storage: Storage };

/** Who signs in and who pays, and the mail to them. */
async function openPeople(
  stack: AsyncDisposableStack,
  config: Config,
  { storage, work, origin, clock, log }: PeopleDeps,
): Promise<Pick<Services, "identity" | "mailOutbox" | "billing">> {
  const shared = { database: storage.database, origin, clock, log };
  const letters = { ...shared, config: config.identity, folder: join(config.data.folder, "mail") };
  const deliver = lazySender(letters);
  const mailOutbox = stack.use(
    openMailOutbox({ ...shared, work, secret: () => signingSecret(letters), deliver }),
  );
  const identity = openIdentity({
    ...letters,
    mailOutbox,
    verified: (organizationId) => grantStarting(storage, organizationId),
  });
  const billing = stack.use(
    openBilling({
      ...shared,
      payments: await openPayments(config),
      ledger: storage.ledger,
      work,
      mailing: mailingOf(storage, { deliver, origin }),
    }),
  );
  return { identity, mailOutbox, billing };
}

/** Stripe's package is loaded only where payments are taken. */
async function openPayments({ stripe }: Config): Promise<Payments | null> {
  return stripe && (await import("../billing/stripe.ts")).openPayments(stripe);
}

/** Unless nothing is deducted from the organization: then it gets its starting credit when it becomes prepaid. */
async function grantStarting({ accounts, ledger }: Storage, organizationId: string): Promise<void> {
  const organization = await accounts.organization(organizationId);
  if (organization?.plan === "prepaid") await ledger.grantStarting(organizationId);
}

/** By whether the server takes payments. */
function remediesOf({ stripe }: Config, { origin }: PublicOrigin): Remedies {
  const billing = (id: string) => `${origin()}/orgs/${id}/billing`;
  const spending = (id: string) => `An owner can raise it at ${billing(id)}.`;
  if (stripe)
    return {
      spending,
      credit: (id) => `An owner can buy some at ${billing(id)}.`,
      limits: (id) =>
        `Organizations that bought $5 of credit have higher limits: ${billing(id)}. The operator can raise them further.`,
    };
  return {
    spending,
    credit: (id) =>
      `The operator of this server can switch metering off with "loquat org set-plan ${id} unmetered", ` +
      `or grant credit at ${origin()}/operator/organizations.`,
    limits: (id) => `The operator of this server can raise the limits with "loquat org set-limits ${id}".`,
  };
}

/** The mail transport opens with the first message. */
function lazySender(deps: Parameters<typeof openSender>[0]): Deliver {
  let sender: Promise<Deliver> | null = null;
  return async (letter) => {
    sender ??= import("../identity/mail.ts").then(({ openSender }) => openSender(deps));
    return (await sender)(letter);
  };
}

/** Mails owners of organizations. */
function mailingOf(
  { accounts }: Storage,
  deps: { deliver: Deliver } & Pick<PublicOrigin, "origin">,
): Mailing {
  return {
    owners: (organizationId) => accounts.ownersOf(organizationId),
    async send(to, letter) {
      const { sendBilling } = await import("../identity/mail.ts");
      return sendBilling(deps, to, letter);
    },
  };
}

type OwnNodeDeps = Inference &
  Pick<Services, "postgres" | "activity" | "clock" | "log" | "metrics" | "fleet"> & { skew: Skew };

/** It joins the others when the server listens. */
function openOwnNode(config: Config, deps: OwnNodeDeps): Cluster {
  const { postgres, metrics } = deps;
  const rows = postgres && openNodeRows(postgres);
  const of = { id: config.node, rows, report: reportOf(config, deps), seen: deps.otherNodes.see };
  const cluster = openCluster({ ...deps, ...of });
  observeNodes(metrics, cluster);
  return cluster;
}

function activityOfAll(
  { node: id }: Config,
  { postgres, ...deps }: Pick<Services, "postgres" | "activity" | "clock">,
): SharedActivity {
  return shareActivity({ ...deps, id, rows: postgres && openNodeMinuteRows(postgres) });
}

/** What operators have asked all nodes to install, fulfilled here too. */
function requestsOf(
  { models }: Config,
  { database, store, pulls, clock, log }: Storage & Inference & Pick<Services, "clock" | "log">,
): PackageRequests {
  return openPackageRequests({
    ...{ weights: models.weights, store, pulls, clock },
    rows: openPackageRequestRows(database),
    packages: openPullable(models),
    failed: (name, cause) => log.warn("package_pull_failed", { package: name, cause }),
  });
}

type LimitDeps = Pick<Services, "postgres" | "clock" | "log" | "metrics"> & { skew: Skew };

/** Nodes of one database count together: in Redis, or else in PostgreSQL. */
async function openLimits(
  { data }: Config,
  { postgres, skew, clock, log, metrics }: LimitDeps,
): Promise<LimitStore> {
  if (data.limitsUrl === null && postgres === null) return openSqliteLimits(data.folder, log);
  const store =
    data.limitsUrl === null
      ? openPostgresLimits(postgres!)
      : await (await import("../limits/redis.ts")).openRedisLimits(data.limitsUrl);
  const counted = failOver(store, log, () => metrics.count("loquat_limit_store_failures_total"));
  const common = atCommonTime(counted, () => skew.ms);
  const limits = takeInAdvance(common, clock);
  await limits.inFlight("", clock.now()); // logs a store that does not answer before the first request needs it
  return limits;
}
