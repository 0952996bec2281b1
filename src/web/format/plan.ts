/** The plan of an organization, in words. */
import { frameTexts } from "../language/en/frame.ts";

type Plan = { plan: "unmetered" | "prepaid"; tier: "free" | "paid" };

export function planName({ plan, tier }: Plan): string {
  if (plan === "unmetered") return frameTexts()("unmetered");
  return frameTexts()(tier === "paid" ? "prepaidPaid" : "prepaidFree");
}

/** In a table, where there is little room. */
export function planBadge({ plan, tier }: Plan): string {
  if (plan === "unmetered") return "Unmetered";
  return tier === "paid" ? "Paid" : "Free";
}
