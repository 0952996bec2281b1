/** The names of what events are about and of who made them, as they are now: ids are all that events have. */
import { inArray } from "drizzle-orm";
import type { Database } from "../db/database.ts";

/** By id. What is deleted, and what has no name, is left out. */
export type AuditNames = (ids: (string | null)[]) => Promise<ReadonlyMap<string, string>>;

export function openAuditNames({ query, tables }: Database): AuditNames {
  const { organization, project, apiKey, adminApiKey, serviceAccount, user, voice, webhookEndpoint } = tables;
  const { invitation } = tables;
  const named = [
    ["org_", organization],
    ["proj_", project],
    ["key_", apiKey],
    ["akey_", adminApiKey],
    ["svc_", serviceAccount],
    ["user_", user],
    ["voice_", voice],
    ["whe_", webhookEndpoint],
  ] as const;
  return async (ids) => {
    const known = [...new Set(ids)].filter((id) => id !== null);
    const beginning = (prefix: string) => known.filter((id) => id.startsWith(prefix));
    const reads = named.map(async ([prefix, table]) => {
      const wanted = beginning(prefix);
      if (wanted.length === 0) return [];
      return query.select({ id: table.id, name: table.name }).from(table).where(inArray(table.id, wanted));
    });
    const invited = beginning("inv_");
    const addresses =
      invited.length === 0
        ? []
        : query
            .select({ id: invitation.id, name: invitation.email })
            .from(invitation)
            .where(inArray(invitation.id, invited));
    const rows = await Promise.all([...reads, addresses]);
    return new Map(rows.flat().map(({ id, name }) => [id, name]));
  };
}
