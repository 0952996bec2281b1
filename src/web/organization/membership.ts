/** Members and invitations as the sign-in library returns them, and the changes that the dialogs make. */
import type { Membership } from "../lib/session.ts";

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
  | { kind: "cancel"; invitation: PendingInvitation };
