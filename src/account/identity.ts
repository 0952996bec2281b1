/** Users and how they prove who they are: passwords, sessions, e-mail, invitations. The door to better-auth. */
import type { Clock } from "../clock.ts";
import type { IdentityConfig } from "../config.ts";
import type { Database } from "../db/open.ts";
import type { Log } from "../log.ts";

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

export type Identity = {
  /** Who is signed in; null for nobody. */
  session(headers: Headers): Promise<Session | null>;
  /** The library's own routes, those of them that are offered. */
  handle(request: Request, ip: string | null): Promise<Response>;
};

export type IdentityParts = {
  database: Database;
  config: IdentityConfig;
  /** Where mail is written without a server for it. */
  folder: string;
  /** Where browsers find this server. */
  origin: () => string;
  /** The e-mail of an owner was verified for the first time: what their organization starts with is theirs. */
  verified: (organizationId: string) => Promise<void>;
  clock: Clock;
  log: Log;
};

export function openIdentity(_parts: IdentityParts): Identity {
  return {
    session: async () => null,
    handle: async () => new Response(null, { status: 404 }),
  };
}
