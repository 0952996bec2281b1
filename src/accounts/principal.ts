/** Authenticated callers: the principal of an API key, and the session of a signed-in user. */
import type { Plan } from "../plans.ts";
import type { Scope } from "../scopes.ts";

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
