/** Cards to pay with, by Stripe's own test numbers, and what each of them does. */

export const CARDS = {
  /** Pays, and pays again. */
  ok: "4242424242424242",
  /** Never pays; cannot be saved. */
  declined: "4000000000000002",
  /** Has too little on it; cannot be saved. */
  poor: "4000000000009995",
  /** Can be saved; is declined whenever it is charged. */
  declinedLater: "4000000000000341",
  /** Can be saved, pays while its owner is there; asks for them when they are not. */
  authentication: "4000002760003184",
  /** A bank account: says days later whether it paid. */
  delayed: "000123456789",
} as const;

export type CardName = keyof typeof CARDS;

export type Decline = { code: string; decline_code: string; message: string };

const DECLINED: Decline = {
  code: "card_declined",
  decline_code: "generic_decline",
  message: "Your card was declined.",
};
const POOR: Decline = {
  code: "card_declined",
  decline_code: "insufficient_funds",
  message: "Your card has insufficient funds.",
};
const ABSENT: Decline = {
  code: "authentication_required",
  decline_code: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/** Why it does not pay; null where it does. */
export function declineOf(card: CardName, { present }: { present: boolean }): Decline | null {
  if (card === "declined" || card === "declinedLater") return DECLINED;
  if (card === "poor") return POOR;
  return card === "authentication" && !present ? ABSENT : null;
}

/** Why it cannot be saved. */
export const refusalOf = (card: CardName): Decline | null =>
  card === "declined" ? DECLINED : card === "poor" ? POOR : null;
