/** The sign-in session and the organization whose pages are open. */

import { createContext, useContext } from "react";
import { leaveFor } from "../browser/addresses.ts";
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

/** Only inside `RequireMembership`. */
export function useOrganization(): Membership {
  return useContext(OrganizationContext)!;
}

/** Whether the user has at least this role in the current organization. */
export function useHasRole(role: "owner" | "admin"): boolean {
  const userRole = useOrganization().role;
  return userRole === "owner" || (role === "admin" && userRole === "admin");
}

export async function signOut(): Promise<void> {
  await auth("sign-out", {});
  queryClient.clear();
  leaveFor("/sign-in");
}
