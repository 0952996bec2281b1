/** The plan of an organization, in words. */

type Plan = { plan: "unmetered" | "prepaid"; tier: "free" | "paid" };

export function planName({ plan, tier }: Plan): string {
  if (plan === "unmetered") return "Unmetered";
  return tier === "paid" ? "Prepaid, Paid tier" : "Prepaid, Free tier";
}

/** In a table, where there is little room. */
export function planBadge({ plan, tier }: Plan): string {
  if (plan === "unmetered") return "Unmetered";
  return tier === "paid" ? "Paid" : "Free";
}
