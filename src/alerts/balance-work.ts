/**
 * Tells that a balance fell below the amount that owners chose. The ledger has added the work in the transaction of its charge.
 *
 *   balance_alert ──> the event `balance.low`, once ──> balance_mail for each owner, and whom they named ──> a mail, five attempts
 *
 * Where the balance is above again by then, no mail is sent.
 */
import { raisedOnce } from "../db/queries/event-rows.ts";
import { openRecipientRows } from "../db/queries/recipient-rows.ts";
import type { NewWork } from "../db/queries/work-rows.ts";
import { openRaising } from "../events/raising.ts";
import { BALANCE_ALERT_WORK, type BalanceAlertWork } from "../ledger/booking/balance-alert.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Handler } from "../work/attempt.ts";
import { mailHandler, mailsTo } from "../work/mail-handler.ts";
import { balanceWords } from "./alert-letters.ts";
import { ALERT_EVENTS, type AlertWorkDeps, organizationNamed, RAISING_RULES, sendTo } from "./alert-mail.ts";
import { type Addressee, addressees } from "./recipients.ts";

const MAIL_KIND = "balance_mail";

type BalanceWorkDeps = AlertWorkDeps & {
  ledger: Pick<Ledger, "credit">;
  owners(organizationId: string): Promise<{ id: string; email: string }[]>;
};

/** `userId`: of the owner or member; of an address that is no member's, its own id. */
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

function raising(deps: BalanceWorkDeps): Handler {
  const { database, clock } = deps;
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
      return mailsTo(await toldOf(deps, organizationId), {
        id,
        kind: MAIL_KIND,
        payload,
        dueMs: clock.now(),
      });
    },
  };
}

/** The owners, and others of those that the alert names who may get mail. */
async function toldOf({ database, owners }: BalanceWorkDeps, organizationId: string): Promise<Addressee[]> {
  const told = await owners(organizationId);
  const named = new Set(
    (await openRecipientRows(database).ofBalance(organizationId)).map(({ email }) => email),
  );
  for (const { email } of told) named.delete(email);
  const others = named.size === 0 ? [] : await addressees(database, organizationId);
  return [...told.map((each) => ({ ...each, row: null })), ...others.filter(({ email }) => named.has(email))];
}

async function mailBalance(deps: BalanceWorkDeps, payload: MailPayload) {
  const { database, ledger } = deps;
  const { organizationId, thresholdMicros, userId } = payload;
  const recipient = (await toldOf(deps, organizationId)).find(({ id }) => id === userId);
  const { balanceMicros, overdraftMicros, balanceAlertMicros } = await ledger.credit(organizationId);
  const leftMicros = balanceMicros - overdraftMicros;
  if (!recipient || balanceAlertMicros === null || leftMicros >= balanceAlertMicros) return null;
  const organization = await organizationNamed(database, organizationId);
  const words = balanceWords(leftMicros, thresholdMicros);
  return sendTo(deps, recipient, { ...words, organization, page: "billing" });
}
