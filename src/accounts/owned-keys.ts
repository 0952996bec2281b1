/** The keys of a project with whom they belong to: a member, a former member, a service account, or none. */
import { and, asc, eq, gt, isNotNull, isNull, or, type SQL } from "drizzle-orm";
import { type Clock, secondsOf } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { type KeyRecord, keyRecord } from "./key-record.ts";
import { highest, type Role } from "./memberships.ts";
import type { ServiceAccount } from "./service-accounts.ts";

type OwningUser = { id: string; name: string; email: string; createdAt: number; role: Role | null };

/** `user.role`: in the organization, null for one who left. Both are null for a key without an owner. */
export type OwnedKey = {
  id: string;
  key: KeyRecord;
  user: OwningUser | null;
  account: ServiceAccount | null;
};

/** `hasOwner`: false for keys of former members; null for all. `after`: the id of a key that these are behind. */
type Filter = { projectId: string; hasOwner: boolean | null; after: string | null; limit: number };

export type OwnedKeys = {
  /** Those that are not revoked, in the order of their creation. */
  ownedKeysOf(filter: Filter): Promise<OwnedKey[]>;
  /** Null if the project has no such key, or it is revoked. */
  ownedKey(projectId: string, id: string): Promise<OwnedKey | null>;
};

export function openOwnedKeys({ query, tables }: Database, clock: Clock): OwnedKeys {
  const { apiKey, user, member, serviceAccount } = tables;
  const read = async (limit: number, ...where: (SQL | undefined)[]): Promise<OwnedKey[]> => {
    const rows = await query
      .select()
      .from(apiKey)
      .leftJoin(user, eq(user.id, apiKey.createdBy))
      .leftJoin(
        member,
        and(eq(member.userId, apiKey.createdBy), eq(member.organizationId, apiKey.organizationId)),
      )
      .leftJoin(serviceAccount, eq(serviceAccount.id, apiKey.serviceAccountId))
      .where(and(isNull(apiKey.revokedAt), ...where))
      .orderBy(asc(apiKey.id)) // an id begins with its time
      .limit(limit);
    return rows.map((row) => ownedKey(row, clock));
  };
  return {
    ownedKeysOf: ({ projectId, hasOwner, after, limit }) => {
      const present = or(isNull(apiKey.createdBy), isNotNull(member.id));
      const absent = and(isNotNull(apiKey.createdBy), isNull(member.id));
      return read(
        limit,
        eq(apiKey.projectId, projectId),
        after === null ? undefined : gt(apiKey.id, after),
        hasOwner === null ? undefined : hasOwner ? present : absent,
      );
    },
    ownedKey: async (projectId, id) =>
      (await read(1, eq(apiKey.projectId, projectId), eq(apiKey.id, id)))[0] ?? null,
  };
}

type Row = {
  api_key: Tables["apiKey"]["$inferSelect"];
  user: Tables["user"]["$inferSelect"] | null;
  member: Tables["member"]["$inferSelect"] | null;
  service_account: ServiceAccount | null;
};

function ownedKey({ api_key, user, member, service_account: account }: Row, clock: Clock): OwnedKey {
  const role = member && highest(member.role);
  return {
    id: api_key.id,
    key: keyRecord(api_key, clock),
    user: user && {
      ...{ id: user.id, name: user.name, email: user.email, role },
      createdAt: secondsOf(user.createdAt),
    },
    account,
  };
}
