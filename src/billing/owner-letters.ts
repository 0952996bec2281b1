/** What owners are told of auto-recharge, in words. Pure. */
import { dollars } from "../dollars.ts";
import type { BillingAccount } from "./billing-accounts.ts";

/** What has happened. */
export type Told = NonNullable<BillingAccount["notice"]> | "low_balance" | "card_expires";

/**
 * `leftMicros`: balance less overdraft. `dayMicros`: what was spent a day of late. `amountMicros`: of the last declined
 * charge; null if unknown.
 */
export type Facts = { leftMicros: number; dayMicros: number; amountMicros: number | null };

export type Words = { subject: string; lines: string[] };

export const wordsOf = (told: Told, account: BillingAccount, facts: Facts): Words =>
  LETTERS[told](account, facts);

/** Whether the owners must still be told: not of what has been mended, or was followed by what they are told as well. */
export function isCurrent(
  told: Told,
  { rechargeEnabled, rechargeFailures, cardExpiryTold }: BillingAccount,
): boolean {
  if (told === "declined") return rechargeEnabled && rechargeFailures > 0;
  if (told === "card_expires") return rechargeEnabled && cardExpiryTold !== null;
  return !rechargeEnabled;
}

/** Whether the bank wants the cardholder to confirm the card. */
export const mustConfirm = (told: Told, { rechargeProblem }: BillingAccount): boolean =>
  (told === "declined" || told === "switched_off") && rechargeProblem === "authentication_required";

const SWITCHED_OFF = "Auto-recharge was switched off";

const LETTERS: Record<Told, (account: BillingAccount, facts: Facts) => Words> = {
  declined: (account, facts) => ({
    subject: "A payment for auto-recharge was declined",
    lines: [
      `Auto-recharge could not charge ${amountOf(facts)} to ${cardOf(account)}: ${reasonOf(account)}.`,
      `${leftOf(facts)} Auto-recharge tries again every 15 minutes. It is switched off when three payments in a row are declined.`,
      remedyOf(account),
    ],
  }),
  switched_off: (account, facts) => ({
    subject: SWITCHED_OFF,
    lines: [
      `Three payments in a row were declined. The last one was ${amountOf(facts)} with ${cardOf(account)}: ${reasonOf(account)}.`,
      `${leftOf(facts)} Auto-recharge was switched off, and the card is not charged again until an owner switches it on. Requests are refused when the credit is used up.`,
      remedyOf(account),
    ],
  }),
  refunded: () => takenBack("refunded"),
  disputed: () => takenBack("disputed"),
  low_balance: (_, facts) => ({
    subject: "The credit is almost used up",
    lines: [
      `${leftOf(facts)} Auto-recharge was switched off, so requests are refused when the credit is used up.`,
      "Buy credit, or save another card and switch auto-recharge on again.",
    ],
  }),
  card_expires: (account) => ({
    subject: "The card for auto-recharge expires soon",
    lines: [
      `Auto-recharge charges ${cardOf(account)}, which expires at the end of ${expiryOf(account)}.`,
      "Save another card, so that auto-recharge goes on.",
    ],
  }),
  card_removed: (_, facts) => ({
    subject: SWITCHED_OFF,
    lines: [
      "The saved card of your organization no longer exists at the payment service, so auto-recharge was switched off.",
      `${leftOf(facts)} Requests are refused when the credit is used up.`,
      "Save a card and switch auto-recharge on again, or buy credit.",
    ],
  }),
};

const takenBack = (why: "refunded" | "disputed"): Words => ({
  subject: SWITCHED_OFF,
  lines: [
    `A payment of your organization was ${why}, and its credit was taken back.`,
    "Auto-recharge was switched off so that the card is not charged again. It stays off until an owner switches it on.",
  ],
});

const amountOf = ({ amountMicros }: Facts) =>
  amountMicros === null ? "the missing credit" : dollars(amountMicros);

const leftOf = ({ leftMicros, dayMicros }: Facts) =>
  [`Your organization has ${dollars(leftMicros)} of credit left.`, runwayOf(leftMicros, dayMicros)].join("");

/** As the dashboard says it. */
function runwayOf(leftMicros: number, dayMicros: number): string {
  if (leftMicros <= 0 || dayMicros <= 0) return "";
  const days = Math.floor(leftMicros / dayMicros);
  const time =
    days < 1
      ? "less than a day"
      : days > 730
        ? "more than 2 years"
        : `about ${days} ${days === 1 ? "day" : "days"}`;
  return ` It lasts ${time} at the rate of the last 7 days.`;
}

const expiryOf = ({ cardExpMonth, cardExpYear }: BillingAccount) =>
  `${String(cardExpMonth).padStart(2, "0")}/${cardExpYear}`;

const cardOf = ({ cardBrand, cardLast4 }: BillingAccount) =>
  cardBrand && cardLast4 ? `the card ${cardBrand} ending in ${cardLast4}` : "the saved card";

/** By the payment service's codes. Others are not passed on: some, such as that of a stolen card, are not for cardholders. */
const REASONS: Record<string, string> = {
  authentication_required: "the bank wants the cardholder to confirm the payment",
  customer_tax_location_invalid: "tax cannot be computed without the address in the billing details",
  expired_card: "the card has expired",
  insufficient_funds: "the card has insufficient funds",
};

const reasonOf = ({ rechargeProblem }: BillingAccount) =>
  REASONS[rechargeProblem ?? ""] ?? "the payment was declined";

const remedyOf = ({ rechargeProblem }: BillingAccount) =>
  rechargeProblem === "authentication_required"
    ? "Confirm the card on the page of the payment service below, which is valid for 24 hours, or save another card or buy credit on the billing page."
    : "Save another card, or buy credit.";
