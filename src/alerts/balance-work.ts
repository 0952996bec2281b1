/**
 * Tells that a balance fell below the amount that owners chose. The ledger has added the work in the transaction of its charge.
 *
 *   balance_alert ──> the event `balance.low`, once ──> balance_mail for each owner ──> a mail, five attempts
 *
 * Where the balance is above again by then, no mail is sent.
 */
import { raisedOnce } from "../db/queries/event-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { openRaising } from "../events/raising.ts";
import { BALANCE_ALERT_WORK, type BalanceAlertWork } from "../ledger/booking/balance-alert.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Handler } from "../work/attempt.ts";
import { mailHandler, mailsTo } from "../work/mail-handler.ts";
import { balanceWords } from "./alert-letters.ts";
import { ALERT_EVENTS, type AlertWorkDeps, organizationNamed, RAISING_RULES } from "./alert-mail.ts";

const MAIL_KIND = "balance_mail";

type BalanceWorkDeps = AlertWorkDeps & {
  ledger: Pick<Ledger, "credit">;
  owners(organizationId: string): Promise<{ id: string; email: string }[]>;
};

/** `userId`: of the owner. */
type MailPayload = BalanceAlertWork & { userId: string };

export function handleBalanceAlerts(deps: BalanceWorkDeps): void {
  deps.work.handle(BALANCE_ALERT_WORK, raising(deps));
  deps.work.handle(
    MAIL_KIND,
    mailHandler({ log: deps.log, events: ALERT_EVENTS }, (payload: MailPayload) =>
      mailBalance(deps, payload),
    ),
  );
}

function raising({ database, owners, clock }: BalanceWorkDeps): Handler {
  const raise = openRaising(clock);
  return {
    rules: RAISING_RULES,
    async attempt({ id, payload: text }): Promise<NewWork[]> {
      const payload = JSON.parse(text) as BalanceAlertWork;
      const { organizationId, balanceMicros, thresholdMicros, at } = payload;
      const event = raise({
        ...{ type: "balance.low", organizationId, once: { key: id, at } },
        data: { balance_micros: balanceMicros, threshold_micros: thresholdMicros },
      });
      if (await raisedOnce(database, event)) database.raised?.();
      return mailsTo(await owners(organizationId), { id, kind: MAIL_KIND, payload, dueMs: clock.now() });
    },
  };
}

async function mailBalance({ database, ledger, owners, send }: BalanceWorkDeps, payload: MailPayload) {
  const { organizationId, thresholdMicros, userId } = payload;
  const owner = (await owners(organizationId)).find(({ id }) => id === userId);
  const { balanceMicros, overdraftMicros, balanceAlertMicros } = await ledger.credit(organizationId);
  const leftMicros = balanceMicros - overdraftMicros;
  if (!owner || balanceAlertMicros === null || leftMicros >= balanceAlertMicros) return null;
  const organization = await organizationNamed(database, organizationId);
  return send(owner.email, { ...balanceWords(leftMicros, thresholdMicros), organization, page: "billing" });
}
