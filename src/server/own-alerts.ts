/** The alerts of this server: what people manage, the mail and events of those that went off, and mail of deletions. */
import type { AlertLetter } from "../alerts/alert-mail.ts";
import { handleAlerts } from "../alerts/alert-work.ts";
import { handleBalanceAlerts } from "../alerts/balance-work.ts";
import { openSpendAlerts, type SpendAlerts } from "../alerts/spend-alerts.ts";
import type { PublicOrigin } from "../api/middleware/public-origin.ts";
import type { Clock } from "../clock.ts";
import { handleDeletionMail } from "../deletion/deletion-mail.ts";
import type { Deliver } from "../identity/mail.ts";
import type { Log } from "../log/log.ts";
import type { Work } from "../work/work-queue.ts";
import type { Storage } from "./storage.ts";

type OwnAlertsDeps = Pick<PublicOrigin, "origin"> &
  Pick<Storage, "database" | "accounts" | "ledger"> & {
    work: Work;
    deliver: Deliver;
    clock: Clock;
    log: Log;
  };

export function openOwnAlerts({ accounts, deliver, origin, ...deps }: OwnAlertsDeps): SpendAlerts {
  const send = async (to: string, letter: AlertLetter) => {
    const { sendAlert } = await import("../identity/mail.ts");
    return sendAlert({ deliver, origin }, to, letter);
  };
  handleAlerts({ ...deps, send });
  handleBalanceAlerts({ ...deps, send, owners: (organizationId) => accounts.ownersOf(organizationId) });
  handleDeletionMail({
    ...{ ...deps, accounts },
    sendNotice: (to, letter) => send(to, { ...letter, page: "settings" }),
  });
  return openSpendAlerts(deps.database, deps.clock);
}
