/** Invitations to organizations, as the sign-in library returns them. */

export type Invitation = {
  id: string;
  email: string;
  role: string;
  organizationName: string;
  /** ISO 8601. */
  expiresAt: string;
};
