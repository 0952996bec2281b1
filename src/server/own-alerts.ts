/** The alerts of this server: what people manage, whom they tell, the mail and events of those that went off, and mail of deletions. */
import type { AlertLetter } from "../alerts/alert-mail.ts";
import { handleAlerts } from "../alerts/alert-work.ts";
import { handleBalanceAlerts } from "../alerts/balance-work.ts";
import { handleAsking } from "../alerts/recipient-work.ts";
import { type AlertRecipients, openAlertRecipients } from "../alerts/recipients.ts";
import { openSpendAlerts, type SpendAlerts } from "../alerts/spend-alerts.ts";
import type { PublicOrigin } from "../api/middleware/public-origin.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { handleDeletionMail } from "../deletion/deletion-mail.ts";
import { openAttemptCounter } from "../identity/attempt-counter.ts";
import { openSignatures } from "../identity/hmac.ts";
import { openBoundedLetters } from "../identity/letters.ts";
import type { Deliver } from "../identity/mail.ts";
import { isEmail } from "../identity/routes/email.ts";
import type { Log } from "../log/log.ts";
import type { Work } from "../work/work-queue.ts";
import type { Storage } from "./storage.ts";

type OwnAlertsDeps = Pick<PublicOrigin, "origin"> &
  Pick<Storage, "database" | "accounts" | "ledger"> & {
    config: Config["identity"];
    work: Work;
    deliver: Deliver;
    clock: Clock;
    log: Log;
  };

type OwnAlerts = { spendAlerts: SpendAlerts; alertRecipients: AlertRecipients };

export function openOwnAlerts({ accounts, config, deliver, origin, ...deps }: OwnAlertsDeps): OwnAlerts {
  const send = async (to: string, letter: AlertLetter) => {
    const { sendAlert } = await import("../identity/mail.ts");
    return sendAlert({ deliver, origin }, to, letter);
  };
  const { database, clock, work } = deps;
  const signatures = alertSignatures({ config: { identity: config }, accounts });
  const mailing = { ...deps, send, signatures };
  handleAsking(mailing);
  handleAlerts(mailing);
  handleBalanceAlerts({ ...mailing, owners: (organizationId) => accounts.ownersOf(organizationId) });
  handleDeletionMail({
    ...{ ...deps, accounts },
    sendNotice: (to, letter) => send(to, { ...letter, page: "settings" }),
  });
  const letters = openBoundedLetters(deps);
  const asking = {
    ...{ attempts: openAttemptCounter(database, clock), isAddress: isEmail, wake: () => work.wake() },
    isAllowed: (to: string) => letters.isAllowed("alerts", to),
  };
  const alertRecipients = openAlertRecipients({
    ...{ database, signatures, clock, asking: config.smtp ? asking : null },
  });
  return { alertRecipients, spendAlerts: openSpendAlerts({ database, clock, recipients: alertRecipients }) };
}

export function alertSignatures(deps: Parameters<typeof openSignatures>[0]) {
  const { sign, verify } = openSignatures(deps);
  return {
    sign: (text: string) => sign("alerts", text),
    verify: (text: string, signature: string) => verify("alerts", text, signature),
  };
}
