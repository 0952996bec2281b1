/** Invitations to organizations, as the sign-in library returns them. */

export type Invitation = {
  id: string;
  email: string;
  role: string;
  organizationName: string;
  /** ISO 8601. */
  expiresAt: string;
};

/** ISO 8601 to Unix seconds. */
export const unixSecondsOf = (iso: string): number => Date.parse(iso) / 1000;
