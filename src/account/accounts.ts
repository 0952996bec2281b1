/** Who may call: organizations, projects, keys, and proving a key. */
import { sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/open.ts";
import { type Authenticate, openAuthentication } from "./authenticate.ts";
import { type ClientSecrets, openClientSecrets } from "./client-secrets.ts";
import { type Keys, openKeys } from "./keys.ts";
import { type Organizations, openOrganizations } from "./organizations.ts";

export type Accounts = Organizations &
  Keys &
  ClientSecrets & {
    authenticate: Authenticate;
    /** Does the database answer? */
    answers(): Promise<boolean>;
  };

export function openAccounts(database: Database, clock: Clock): Accounts {
  return {
    ...openOrganizations(database, clock),
    ...openKeys(database, clock),
    ...openClientSecrets(database, clock),
    authenticate: openAuthentication(database, clock),
    async answers() {
      try {
        await database.query.select({ one: sql`1` }).from(database.tables.installation);
        return true;
      } catch {
        return false;
      }
    },
  };
}
