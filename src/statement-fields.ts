/** The amounts of an account statement, in micros: credit that was bought and credit that was given, apart, and overdraft. */

export const STATEMENT_FIELDS = [
  ...(["opening_bought", "opening_given", "opening_overdraft"] as const),
  ...(["bought", "tax", "given"] as const),
  ...(["used_bought", "used_given", "used_overdraft"] as const),
  ...(["refunded_bought", "refunded_given", "refunded_overdraft"] as const),
  ...(["corrected_bought", "corrected_given", "corrected_overdraft"] as const),
  ...(["paid_off_bought", "paid_off_given", "expired_bought", "expired_given"] as const),
  ...(["closing_bought", "closing_given", "closing_overdraft"] as const),
];

export type StatementField = (typeof STATEMENT_FIELDS)[number];

export type Amounts = Record<StatementField, number>;
