/** Accounts: organizations, projects, API keys, and their authentication. */
import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { isOutOfDescriptors, Refusal } from "../errors.ts";
import { type AccountDeletion, openAccountDeletion } from "./account-deletion.ts";
import { type AdminKeys, openAdminKeys } from "./admin-keys.ts";
import {
  type Authenticate,
  openAuthentication,
  openNamedKeys,
  openStarters,
  type PrincipalOfKey,
  type PrincipalOfStarter,
} from "./authenticate.ts";
import { type ClientSecrets, openClientSecrets } from "./client-secrets.ts";
import { deleteExpired } from "./expiry.ts";
import { announced, type OnKeysEnding } from "./key-endings.ts";
import { type Keys, openKeys } from "./keys.ts";
import { type Members, openMembers } from "./members.ts";
import { type Memberships, openMemberships } from "./memberships.ts";
import { type OrganizationDeletion, openOrganizationDeletion } from "./organization-deletion.ts";
import { type Organizations, openOrganizations } from "./organizations.ts";
import { type OwnedKeys, openOwnedKeys } from "./owned-keys.ts";
import { openPersonRecords, type PersonRecords } from "./person-records.ts";
import { openServiceAccounts, type ServiceAccounts } from "./service-accounts.ts";
import { openSetUp, type SetUp } from "./set-up.ts";
import { openUsers, type Users } from "./users.ts";

export type Accounts = Organizations &
  OrganizationDeletion &
  AccountDeletion &
  PersonRecords &
  Keys &
  OwnedKeys &
  ServiceAccounts &
  AdminKeys &
  Memberships &
  Members &
  Users &
  SetUp &
  ClientSecrets & {
    authenticate: Authenticate;
    principalOfKey: PrincipalOfKey;
    principalOfStarter: PrincipalOfStarter;
    /** Calls the listener after a change through this object that may have ended keys of an organization. */
    onKeysEnding: OnKeysEnding;
    /** The signing secret where none is configured: generated once, and shared by all nodes. */
    installationSecret(): Promise<string>;
    /** Deletes expired sessions, links, attempt counts, invitations and secrets, and accounts that were never verified. */
    forgetOld(): Promise<void>;
    /** Fails if the database is unreachable or has no space to write. */
    answers(): Promise<boolean>;
  };

/** `keyMaxDays`: how long new keys last at most; null: forever. */
export function openAccounts(database: Database, clock: Clock, keyMaxDays: number | null = null): Accounts {
  const clientSecrets = openClientSecrets(database, clock);
  const keys = openKeys(database, clock, keyMaxDays);
  const serviceAccounts = openServiceAccounts({ database, keys, clock });
  const tenants = {
    ...openOrganizations(database, clock),
    ...openOrganizationDeletion(database, clock),
    ...openAccountDeletion(database, clock),
    ...keys,
    ...serviceAccounts,
  };
  const endings = announced(tenants);
  return {
    ...tenants,
    ...endings,
    ...openOwnedKeys(database, clock),
    ...openAdminKeys(database, clock),
    ...openMemberships(database),
    ...openMembers(database, clock),
    ...openUsers(database, clock),
    ...openPersonRecords(database),
    ...openSetUp(database, clock),
    ...clientSecrets,
    authenticate: openAuthentication(database, clock, endings.onKeysEnding),
    principalOfKey: openNamedKeys(database, clock),
    principalOfStarter: openStarters(database, clock),
    installationSecret: () => installationSecret(database),
    async forgetOld() {
      await clientSecrets.forgetClientSecrets();
      await deleteExpired(database, clock);
    },
    async answers() {
      try {
        await database.probe();
        return true;
      } catch (error) {
        return isOutOfDescriptors(error); // then it was not asked
      }
    },
  };
}

/** If two nodes start at once, both use the secret that one of them stored. */
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
