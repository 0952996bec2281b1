/** Members and invitations as the sign-in library returns them, their links, and the changes that the dialogs make. */

import { useRead } from "../api/queries.ts";
import type { Membership } from "../api/session.ts";
import { site } from "../browser/site.ts";

export type Member = {
  id: string;
  role: Membership["role"];
  createdAt: string;
  user: { id: string; name: string; email: string };
};

export type PendingInvitation = {
  id: string;
  email: string;
  role: string;
  status: string;
  expiresAt: string;
};

export type MembershipChange =
  | { kind: "invite" | "leave" }
  | { kind: "role" | "remove"; member: Member }
  | { kind: "cancel" | "resend"; invitation: PendingInvitation };

/** The page of an invitation, where others reach the server; the address fills in the form of signing up. */
export function useInvitationLink(): (invitation: Pick<PendingInvitation, "id" | "email">) => string {
  const { data } = useRead("GET /api/installation", {});
  const server = data?.url ?? location.origin + site.base;
  return ({ id, email }) =>
    `${server}/invitation?id=${encodeURIComponent(id)}&email=${encodeURIComponent(email)}`;
}
