/** Searches and sorts the organizations of the server. */
import type { Reply } from "../../api/server.ts";

export type Tenant = Reply<"GET /api/operator/organizations">["data"][number];

/** By their name in the address. */
export const ORDERS: Record<string, { name: string; compare: (a: Tenant, b: Tenant) => number }> = {
  newest: { name: "Newest first", compare: (a, b) => b.created_at - a.created_at },
  month: {
    name: "Most spent this month",
    compare: (a, b) => b.month_to_date_micros - a.month_to_date_micros,
  },
  balance: { name: "Lowest balance", compare: (a, b) => creditOf(a) - creditOf(b) },
  name: { name: "Name", compare: (a, b) => a.name.localeCompare(b.name) },
};

const creditOf = ({ balance_micros, overdraft_micros }: Tenant) => balance_micros - overdraft_micros;

/** Those whose name or id contains the search text. */
export function tenantsOf(all: Tenant[], { search, order }: { search: string; order: string }): Tenant[] {
  const text = search.trim().toLowerCase();
  return all
    .filter(({ name, id }) => name.toLowerCase().includes(text) || id.toLowerCase().includes(text))
    .sort((ORDERS[order] ?? ORDERS.newest!).compare);
}
