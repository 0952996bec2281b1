/** Members and invitations as the sign-in library returns them, their links, and the changes that the dialogs make. */

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

/** The page of an invitation, as the mail names it; the address fills in the form of signing up. */
export const linkOf = ({ id, email }: Pick<PendingInvitation, "id" | "email">): string =>
  `${location.origin}${site.base}/invitation?id=${encodeURIComponent(id)}&email=${encodeURIComponent(email)}`;
