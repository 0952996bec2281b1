/**
 * The archive of an organization, as its owners download it, made by a command beside the server or without one: of what is
 * stored, with no engine, no payment service and no work of the queue.
 */
import { openAlertRecipients } from "../alerts/recipients.ts";
import { openSpendAlerts } from "../alerts/spend-alerts.ts";
import {
  organizationHandlers,
  projectHandlers,
  pronunciationHandlers,
  voiceHandlers,
} from "../api/management/handlers/account-handlers.ts";
import { adminKeyHandlers } from "../api/management/handlers/admin-key-handlers.ts";
import { alertHandlers } from "../api/management/handlers/alert-handlers.ts";
import { auditHandlers } from "../api/management/handlers/audit-handlers.ts";
import { billingHandlers } from "../api/management/handlers/billing-handlers.ts";
import { type Listing, organizationArchive } from "../api/management/handlers/export-handlers.ts";
import { jobListing } from "../api/management/handlers/job-handlers.ts";
import { keyHandlers } from "../api/management/handlers/key-handlers.ts";
import { serviceAccountHandlers } from "../api/management/handlers/service-account-handlers.ts";
import { recordedHandlers } from "../api/management/handlers/usage-handlers.ts";
import { webhookListing } from "../api/management/handlers/webhook-handlers.ts";
import type { Download } from "../api/management/schema/route.ts";
import { openPublicOrigin } from "../api/middleware/public-origin.ts";
import { openAuditReads } from "../audit/audit-reads.ts";
import { openBilling } from "../billing/billing.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { openEncryption, serverSecrets } from "../db/encryption.ts";
import { openJobRows } from "../db/queries/job-rows.ts";
import { openSignatures } from "../identity/hmac.ts";
import { openJobParts } from "../jobs/job-parts.ts";
import { openJobListing } from "../jobs/jobs.ts";
import type { Log } from "../log/log.ts";
import { type Catalogue, withPrices } from "../models/catalogue.ts";
import { pricesAt } from "../models/prices.ts";
import { openGuard } from "../net/guarded-request.ts";
import type { UpstreamSet } from "../upstreams/upstreams.ts";
import { openManagedWebhooks } from "../webhooks/outgoing-webhooks.ts";
import { runningServer } from "./lifecycle/running-server.ts";
import { openPrices } from "./live-prices.ts";
import { alertSignatures } from "./own-alerts.ts";
import type { Storage } from "./storage.ts";

/** `catalogue`: at the prices of its manifests. */
type ArchiveDeps = {
  storage: Storage;
  catalogue: Catalogue;
  upstreams: UpstreamSet;
  clock: Clock;
  log: Log;
};

export async function archiveOf(
  config: Config,
  deps: ArchiveDeps,
  asking: { organizationId: string; signal: AbortSignal },
): Promise<Download> {
  const { storage, clock } = deps;
  return organizationArchive({ ...storage, clock }, await listingOf(config, deps), asking);
}

async function listingOf(config: Config, { storage, upstreams, clock, log, ...deps }: ArchiveDeps) {
  const { database, accounts } = storage;
  const address = openPublicOrigin(config.http);
  const running = runningServer(config.data.folder);
  if (running?.origin) address.listensAt(running.origin);
  const secrets = serverSecrets(config.identity, accounts);
  const prices = pricesAt((await openPrices(storage)).current(), unixSeconds(clock));
  const rows = openJobRows(database);
  const parts = openJobParts(rows, openEncryption("loquat jobs", secrets));
  const signed = { database, signatures: alertSignatures({ config, accounts }), clock };
  const alertRecipients = openAlertRecipients({ ...signed, asking: null });
  const shared = {
    ...{ ...storage, config, clock, log, address, upstreams: { set: upstreams } },
    catalogue: withPrices(deps.catalogue, prices),
    signatures: openSignatures({ config, accounts }),
    auditReads: openAuditReads(database),
    ...{ alertRecipients, spendAlerts: openSpendAlerts({ database, clock, recipients: alertRecipients }) },
    jobs: openJobListing({ rows, parts }),
    webhooks: openManagedWebhooks({ database, guard: openGuard(config.outbound), secrets, clock }),
    billing: {
      ...openBilling({ ...storage, payments: null, origin: address.origin, clock, log }),
      available: config.stripe !== null,
      invoices: config.stripe?.invoices ?? false,
    },
  };
  return {
    ...organizationHandlers(shared),
    ...projectHandlers(shared),
    ...keyHandlers(shared),
    ...serviceAccountHandlers(shared),
    ...adminKeyHandlers(shared),
    ...pronunciationHandlers(shared),
    ...voiceHandlers(shared),
    ...alertHandlers(shared),
    ...webhookListing(shared),
    ...jobListing(shared),
    ...billingHandlers(shared),
    ...recordedHandlers(shared),
    ...auditHandlers(shared),
  } satisfies Listing;
}
