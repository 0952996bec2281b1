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

type Linked = Pick<PendingInvitation, "id" | "email"> & { secret?: string | null };

/**
 * The page of an invitation, where others reach the server; the address fills in the form of signing up. The secret, known
 * only when the invitation is made, lets the person in without a mail: in the fragment, which browsers send to no server.
 */
export function useInvitationLink(): (invitation: Linked) => string {
  const { data } = useRead("GET /api/installation", {});
  const server = data?.url ?? location.origin + site.base;
  return ({ id, email, secret }) =>
    `${server}/invitation?id=${encodeURIComponent(id)}&email=${encodeURIComponent(email)}${secret ? `#${secret}` : ""}`;
}
