/** The outgoing webhooks of this server: what they are opened with, and the mail to owners of those that are switched off. */
import type { PublicOrigin } from "../api/middleware/public-origin.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { serverSecrets } from "../db/encryption.ts";
import type { MailOutbox } from "../identity/mail-outbox.ts";
import type { Log } from "../log/log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { openGuard } from "../net/guarded-request.ts";
import { openWebhooks, type Webhooks } from "../webhooks/outgoing-webhooks.ts";
import type { Work } from "../work/work-queue.ts";
import type { Storage } from "./storage.ts";

const MAIL_SECONDS = 7 * 86_400;

const pageOf = (organizationId: string | null): string =>
  organizationId === null ? "/operator/webhooks" : `/orgs/${organizationId}/webhooks`;

type OwnWebhooksDeps = Pick<PublicOrigin, "origin"> &
  Pick<Storage, "database" | "accounts"> & {
    work: Work;
    mailOutbox: MailOutbox;
    clock: Clock;
    log: Log;
    metrics: Metrics;
  };

export function openOwnWebhooks(
  { outbound, identity }: Config,
  { database, accounts, work, mailOutbox, origin, clock, log, metrics }: OwnWebhooksDeps,
): Webhooks {
  database.raised = () => work.wake();
  return openWebhooks({
    ...{ database, work, guard: openGuard(outbound), clock, log },
    attempted: (outcome) => metrics.count("loquat_webhook_attempts_total", { outcome }),
    secrets: serverSecrets(identity, accounts),
    async tellOwners(organizationId, letter) {
      const target = { button: "Open the webhooks", link: `${origin()}${pageOf(organizationId)}` };
      const told = organizationId === null ? accounts.operators() : accounts.ownersOf(organizationId);
      for (const { email: to } of await told)
        await mailOutbox.post({ to, ...letter, ...target }, MAIL_SECONDS);
    },
  });
}
