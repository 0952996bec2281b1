/**
 * Opens all services of a server, and closes them in reverse order. Threads and processes start on first use, so a command
 * that only lists voices opens no engine.
 */
import { join } from "node:path";
import type { AlertRecipients } from "../alerts/recipients.ts";
import type { SpendAlerts } from "../alerts/spend-alerts.ts";
import { openPublicOrigin, type PublicOrigin } from "../api/middleware/public-origin.ts";
import { type AuditReads, openAuditReads } from "../audit/audit-reads.ts";
import type { Batches } from "../batches/batches.ts";
import { type Billing, openBilling } from "../billing/billing.ts";
import type { Mailing } from "../billing/owner-mail.ts";
import type { Payments } from "../billing/payments.ts";
import { openSellingTests, type SellingTests } from "../billing/selling-tests.ts";
import { openVouchers, type Vouchers } from "../billing/vouchers.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Cluster } from "../cluster/cluster.ts";
import type { Machines } from "../cluster/machines.ts";
import type { SharedActivity } from "../cluster/shared-activity.ts";
import type { Config } from "../config/config.ts";
import { openWorkRows } from "../db/queries/work-rows.ts";
import { type ApiFleet, openApiFleet } from "../engine-nodes/api-fleet.ts";
import { openReached } from "../events/reached.ts";
import { openUpcoming } from "../events/upcoming.ts";
import { openAttemptCounter } from "../identity/attempt-counter.ts";
import { auditedIdentity } from "../identity/audited-identity.ts";
import { signingSecret } from "../identity/better-auth.ts";
import { type Identity, openIdentity } from "../identity/identity.ts";
import { withInstallationCookies } from "../identity/installation-cookies.ts";
import { type Invitations, openInvitations } from "../identity/invitations.ts";
import type { Deliver, openSender } from "../identity/mail.ts";
import { type Letter, type MailOutbox, openMailOutbox } from "../identity/mail-outbox.ts";
import { openServerUsers, type ServerUsers } from "../identity/server-users.ts";
import { openAllowance } from "../limits/allowance.ts";
import type { LimitStore } from "../limits/limits.ts";
import { type Log, openProcessLog } from "../log/log.ts";
import { type Budget, openBudget } from "../memory/budget.ts";
import { type Metrics, openMetrics } from "../metrics/metrics.ts";
import type { AliasAdmin } from "../models/alias-admin.ts";
import type { ConversationAdmin } from "../models/conversation-admin.ts";
import type { CatalogueFor } from "../models/live-catalogue.ts";
import type { PriceAdmin } from "../models/price-admin.ts";
import type { PackageRequests } from "../models/pull/package-requests.ts";
import { machineLimits } from "../plans.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { UpstreamAdmin } from "../upstreams/edits.ts";
import type { UpstreamOperations } from "../upstreams/operations.ts";
import { type Activity, openActivity } from "../usage/activity.ts";
import type { Remedies } from "../usage/admission.ts";
import { type Meter, openMeter } from "../usage/meter.ts";
import type { Webhooks } from "../webhooks/outgoing-webhooks.ts";
import { openWork, type Work } from "../work/work-queue.ts";
import { followEdits } from "./follow-edits.ts";
import { type Inference, openInference } from "./inference.ts";
import { followPrices } from "./live-prices.ts";
import { watchDatabase } from "./monitoring/database-watch.ts";
import { type Descriptors, watchDescriptors } from "./monitoring/descriptors.ts";
import {
  type DataDisk,
  engineEvents,
  observeServer,
  openDataDisk,
  workersEnded,
} from "./monitoring/observations.ts";
import { watchUpstreams } from "./monitoring/server-events.ts";
import { openTraces } from "./monitoring/traces.ts";
import { openOwnAlerts } from "./own-alerts.ts";
import { openOwnBatches } from "./own-batches.ts";
import { openOwnData } from "./own-data.ts";
import { type OwnFiles, openOwnFiles } from "./own-files.ts";
import { type OwnJobs, openOwnJobs } from "./own-jobs.ts";
import { openLimits } from "./own-limits.ts";
import { activityOfAll, openOwnNode, requestsOf } from "./own-node.ts";
import { openOwnRetention } from "./own-retention.ts";
import { openOwnWebhooks } from "./own-webhooks.ts";
import { openStorage, type Storage } from "./storage.ts";
import { openWyomingPort, type WyomingPort } from "./wyoming-port.ts";

export type Services = AsyncDisposable &
  Inference &
  Storage &
  Omit<OwnFiles & OwnJobs, keyof AsyncDisposable> & {
    config: Config;
    address: PublicOrigin;
    aliases: AliasAdmin;
    prices: PriceAdmin;
    catalogueFor: CatalogueFor;
    batches: Batches;
    conversations: ConversationAdmin;
    upstreamAdmin: UpstreamAdmin;
    upstreamOperations: UpstreamOperations;
    identity: Identity;
    work: Work;
    mailOutbox: MailOutbox;
    auditReads: AuditReads;
    invitations: Invitations;
    billing: Billing;
    vouchers: Vouchers;
    serverUsers: ServerUsers;
    sellingTests: SellingTests;
    webhooks: Webhooks;
    spendAlerts: SpendAlerts;
    alertRecipients: AlertRecipients;
    budget: Budget;
    limits: LimitStore;
    cluster: Cluster;
    machines: Machines;
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
    wyoming: WyomingPort;
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
  const writing = { clock, writer: config.data.writer, committed, ended, damagedLog };
  const storage = stack.use(await openStorage(config, writing));
  stack.use(watchDatabase(() => storage.database.probe(), log));
  const skew = { ms: 0 };
  const limits = stack.use(await openLimits(config, { ...storage, skew, clock, log, metrics }));
  const address = openPublicOrigin(config.http);
  const common = { now: () => clock.now() - skew.ms };
  const work = stack.use(
    openWork({ rows: openWorkRows(storage.database), node: config.node, clock: common, log }),
  );
  const people = await openPeople(stack, config, { storage, work, origin: address.origin, clock, log });
  const machine = machineLimits(config);
  const shared = { allowance: openAllowance({ ...storage, machine }), clock: common, log, metrics, ended };
  const webhooks = openOwnWebhooks(config, { ...storage, ...people, ...address, work, ...shared });
  const files = stack.use(await openOwnFiles(config, { ...storage, ...shared }));
  openOwnData(config, { ...storage, ...people, ...files, work, ...shared });
  const auditReads = openAuditReads(storage.database);
  if (config.log.audit) storage.database.audited = (row) => log.info("audit", row);
  stack.use(openUpcoming({ ...storage, clock, log }));
  stack.use(openOwnRetention(storage, { ...config.retention, auditEvents: auditReads, clock, log }));
  const counting = { ledger: storage.ledger, limits, machine, clock, log, metrics, activity };
  const disk = openDataDisk(config.data.folder, { clock, log });
  const descriptors = stack.use(watchDescriptors(log));
  const [{ charged }, remedies] = [people.billing, remediesOf(config, address)];
  const meter = stack.use(
    openMeter({
      ...{ ...counting, ...disk, charged, remedies, requestLines: config.log.requests },
      refused: openReached({ ...storage, clock, log }),
    }),
  );
  const budget = openBudget(config.engine.memoryMb * 1024 * 1024);
  const fleet = stack.use(openApiFleet(config, log, metrics));
  const prices = stack.use(await followPrices(storage, common, log));
  const engines = stack.use(openInference(config, engineEvents(metrics, ended, log), { ...fleet, prices }));
  const jobs = stack.use(
    openOwnJobs(config, { ...storage, ...engines, ...files, ...people, ...shared, work, remedies, charged }),
  );
  stack.use(observeServer(metrics, { registry: engines.registry, activity, budget }));
  const node = { ...storage, ...engines, activity, skew, common, clock, log, metrics, fleet };
  const { cluster, machines } = stack.use(openOwnNode(config, node));
  const sharedActivity = stack.use(activityOfAll(config, node));
  const packageRequests = stack.use(await requestsOf(config, { ...storage, ...engines, common, clock, log }));
  const edited = await followEdits(stack, config, { ...storage, ...engines, priceList: prices, clock, log });
  stack.use(watchUpstreams(engines.upstreams, { ...storage, clock: common, log }));
  const owned = { ...engines, ...storage, ...people, ...files, ...jobs, ...edited };
  const opened = stack.move();
  const services = {
    ...owned,
    ...openOwnBatches(config, { ...owned, ...shared, work }),
    ...{ auditReads, work, webhooks, config, address, budget, limits, cluster, machines, packageRequests },
    ...{ clock, log, disk, descriptors, meter, metrics, activity, sharedActivity, tracing, fleet },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
  return { ...services, wyoming: openWyomingPort(services) };
}

type PeopleDeps = Pick<Services, "work" | "clock" | "log"> &
  Pick<PublicOrigin, "origin"> & { storage: Storage };

/** Who signs in and who pays, and the mail to them. */
async function openPeople(
  stack: AsyncDisposableStack,
  config: Config,
  { storage, work, origin, clock, log }: PeopleDeps,
): Promise<
  Pick<
    Services,
    "identity" | "serverUsers" | "mailOutbox" | "invitations" | "billing" | "vouchers" | "sellingTests"
  > &
    ReturnType<typeof openOwnAlerts>
> {
  const shared = { database: storage.database, origin, clock, log };
  const letters = { ...shared, config: config.identity, folder: join(config.data.folder, "mail") };
  const deliver = lazySender(letters);
  const mailOutbox = stack.use(
    openMailOutbox({ ...shared, work, secret: () => signingSecret(letters), deliver }),
  );
  const verified = (organizationId: string) => grantStarting(storage, organizationId);
  const audited = auditedIdentity(openIdentity({ ...letters, mailOutbox, verified }), shared);
  const identity = withInstallationCookies(audited, () => signingSecret(letters));
  const billing = stack.use(
    openBilling({
      ...shared,
      payments: await openPayments(config),
      ledger: storage.ledger,
      work,
      mailing: mailingOf(storage, { deliver, origin }),
    }),
  );
  const attempts = openAttemptCounter(storage.database, clock);
  const vouchers = openVouchers({ ...storage, attempts, clock });
  const serverUsers = openServerUsers({ ...shared, verified });
  const invitations = openInvitations({ ...shared, mailOutbox });
  const alerts = openOwnAlerts({ ...shared, ...storage, config: config.identity, work, deliver });
  const sellingTests = openSellingTests({
    ...{ billing, attempts, url: config.http.url },
    firstOrganization: () => storage.accounts.firstOrganization(),
    sendTest: config.identity.smtp && ((to) => deliver(testLetter(to, origin()))),
  });
  return { identity, serverUsers, mailOutbox, invitations, billing, vouchers, sellingTests, ...alerts };
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
      limits: ({ organizationId: id }) =>
        `Organizations that bought $5 of credit have higher limits: ${billing(id)}. The operator can raise them further.`,
    };
  return {
    spending,
    credit: () => "Ask the operator of this server for credit.",
    limits: ({ organizationId: id, plan }) =>
      plan === "prepaid"
        ? "Ask the operator of this server for higher limits."
        : `The operator of this server can raise the limits with "loquat org set-limits ${id}".`,
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

/** To an operator, who asks whether mail arrives. */
const testLetter = (to: string, link: string): Letter => ({
  ...{ to, subject: "Mail of your Loquat server works" },
  lines: ["You asked this server to send you a test message. Customers get mail from this address."],
  ...{ button: "Open the dashboard", link },
});

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
