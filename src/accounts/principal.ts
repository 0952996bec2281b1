/** Authenticated callers: the principal of an API key, and the session of a signed-in user. */
import type { Plan } from "../plans.ts";
import type { AdminScope, Scope } from "../scopes.ts";

export type Principal = {
  keyId: string;
  organizationId: string;
  projectId: string;
  environment: "live" | "test";
  scopes: ReadonlySet<Scope>;
  /** The organization's, when it was read: at most a second before the request. */
  plan: Plan;
  /** The organization's own limits by name, if it has any. */
  limitOverrides: Record<string, number> | null;
};

/** An admin key, which acts for its organization. */
export type AdminPrincipal = {
  keyId: string;
  organizationId: string;
  scopes: ReadonlySet<AdminScope>;
  /** Who made the key, for what is made with it. */
  createdBy: string | null;
  /** Then it may read, and change nothing. */
  isSuspended: boolean;
};

export type User = {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  operator: boolean;
  /** Unix seconds. */
  createdAt: number;
};

export type Session = { id: string; user: User };
