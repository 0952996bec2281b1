/** The plans of organizations. */

/** `unmetered`: usage is recorded at list price, and nothing is deducted. `prepaid`: credit pays for it. */
export type Plan = (typeof PLANS)[number];
export const PLANS = ["unmetered", "prepaid"] as const;
