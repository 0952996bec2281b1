/** The sign-in session and the organization whose pages are open. */

import { createContext, useContext } from "react";
import { leaveFor } from "../browser/addresses.ts";
import { useListPrices } from "../browser/list-prices.ts";
import { queryClient } from "./queries.ts";
import { auth, type Reply } from "./server.ts";

export type Session = Reply<"GET /api/session">;
export type Membership = Session["organizations"][number];

export const SessionContext = createContext<Session | null>(null);
export const OrganizationContext = createContext<Membership | null>(null);

/** Only inside `RequireSession`. */
export function useSession(): Session {
  return useContext(SessionContext)!;
}

/** Also on pages without a sign-in session. */
export const useIsOperator = (): boolean => useContext(SessionContext)?.user.operator ?? false;

/** Only inside `RequireMembership`. */
export function useOrganization(): Membership {
  return useContext(OrganizationContext)!;
}

/** Whether the user has at least this role in the current organization. */
export function useHasRole(role: "owner" | "admin"): boolean {
  const userRole = useOrganization().role;
  return userRole === "owner" || (role === "admin" && userRole === "admin");
}

/** Whether amounts of money are shown: where they are charged, or where list prices were switched on. */
export function useShowsMoney(): boolean {
  const areListed = useListPrices();
  return useOrganization().plan === "prepaid" || areListed;
}

export async function signOut(): Promise<void> {
  await auth("sign-out", {});
  queryClient.clear();
  leaveFor("/sign-in");
}
