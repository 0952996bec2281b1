/** Authenticated callers: the principal of an API key, and the session of a signed-in user. */

import type { Refusal } from "../errors.ts";
import type { EndUserHeader, Redaction } from "../kept-data.ts";
import type { Plan } from "../plans.ts";
import type { Cap } from "../restrictions.ts";
import type { AdminScope, Scope } from "../scopes.ts";

export type Principal = {
  keyId: string;
  organizationId: string;
  projectId: string;
  environment: "live" | "test";
  scopes: ReadonlySet<Scope>;
  /** The organization's, when it was read: at most a second before the request. */
  plan: Plan;
  /** By what list prices are multiplied, in units of 1/10,000. */
  priceFactor: number;
  /** The organization's own limits by name, if it has any. */
  limitOverrides: Record<string, number> | null;
  /** What its key and its project may use at most. */
  caps: readonly Cap[];
  /** What is left out of the log of its requests; null: nothing. */
  redaction: Redaction | null;
  /** Which header may name the user of its client; null: none. */
  endUserHeader: EndUserHeader | null;
};

/** An admin key, which acts for its organization. */
export type AdminPrincipal = {
  keyId: string;
  organizationId: string;
  scopes: ReadonlySet<AdminScope>;
  /** Who made the key, for what is made with it. */
  createdBy: string | null;
  /** Why it may read, and change nothing; null: it may. */
  closed: (() => Refusal) | null;
};

export type User = {
  id: string;
  email: string;
  name: string;
  emailVerified: boolean;
  operator: boolean;
  twoFactorEnabled: boolean;
  /** Unix seconds. */
  createdAt: number;
};

export type Session = {
  id: string;
  /** The provider that they signed in with; null: a password. */
  source: string | null;
  /** When they last gave a code of their second factor, in Unix seconds; null: never. */
  confirmedAt: number | null;
  /** Their provider says that it asked for one factor only. */
  isSingleFactor: boolean;
  user: User;
};
