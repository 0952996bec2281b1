/** Who may call: organizations, projects, keys, and proving a key. */
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { type Authenticate, openAuthentication } from "./authenticate.ts";
import { type ClientSecrets, openClientSecrets } from "./client-secrets.ts";
import { deleteExpired } from "./expiry.ts";
import { type Keys, openKeys } from "./keys.ts";
import { type Members, openMembers } from "./members.ts";
import { type Memberships, openMemberships } from "./memberships.ts";
import { type Organizations, openOrganizations } from "./organizations.ts";
import { openUsers, type Users } from "./users.ts";

export type Accounts = Organizations &
  Keys &
  Memberships &
  Members &
  Users &
  ClientSecrets & {
    authenticate: Authenticate;
    /** What this installation signs with where its configuration says nothing: made once, the same on every node. */
    installationSecret(): Promise<string>;
    /** Deletes what has expired: sessions, links, tries, invitations, secrets, accounts that were never verified. */
    forgetOld(): Promise<void>;
    /** Does the database answer, and is there room to write? */
    answers(): Promise<boolean>;
  };

export function openAccounts(database: Database, clock: Clock): Accounts {
  const clientSecrets = openClientSecrets(database, clock);
  return {
    ...openOrganizations(database, clock),
    ...openKeys(database, clock),
    ...openMemberships(database),
    ...openMembers(database, clock),
    ...openUsers(database, clock),
    ...clientSecrets,
    authenticate: openAuthentication(database, clock),
    installationSecret: () => installationSecret(database),
    async forgetOld() {
      await clientSecrets.forgetClientSecrets();
      await deleteExpired(database, clock);
    },
    async answers() {
      try {
        await database.probe();
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Of two nodes that ask first at once, both are told what one of them made. */
export async function installationSecret({ query, tables: { installation } }: Database): Promise<string> {
  const made = randomBytes(32).toString("base64url");
  const [row] = await query
    .update(installation)
    .set({ secret: sql`coalesce(${installation.secret}, ${made})` })
    .returning();
  if (!row)
    throw new Refusal("service_unavailable", "This server has not started yet.", { retryAfterSeconds: 1 });
  return row.secret!;
}
