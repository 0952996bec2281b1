/** Describes failed and reversed payments, by the payment service's decline codes and our own. */

/** The codes that switch auto-recharge off although no charge failed. */
export const isCreditReversed = (code: string): boolean => ["refunded", "disputed"].includes(code);

const TEXTS: Record<string, string> = {
  refunded: "a payment was refunded and its credit withdrawn.",
  disputed: "a payment was disputed with the bank and its credit withdrawn.",
  authentication_required: "the bank requires the cardholder to confirm the payment.",
  expired_card: "the card has expired.",
  insufficient_funds: "the card has insufficient funds.",
  card_declined: "the card was declined.",
};

/** Reads on after a colon. */
export const paymentProblemText = (code: string): string =>
  TEXTS[code] ?? `the card was declined (${code.replaceAll("_", " ")}).`;
