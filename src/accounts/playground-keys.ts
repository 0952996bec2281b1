/**
 * The test key of a user and a project for the playground. There is one, which gets a new secret each time, so that lists and usage
 * have one row of it, and whose earlier secret is unknown from then on.
 */
import { and, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { openAudit } from "../audit/audit-events.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { Database, Tables } from "../db/database.ts";
import { type Scope, USUAL_SCOPES } from "../scopes.ts";
import { keyEvent } from "./key-events.ts";
import { type KeyWithSecret, keyRecord } from "./key-record.ts";
import { withUnusedBudget } from "./restricting.ts";
import { displayParts, type Environment, hashSecret, newSecret } from "./secret.ts";

const PLAYGROUND = { name: "Playground", environment: "test", scopes: USUAL_SCOPES } as const;
const PLAYGROUND_SECONDS = 12 * 3600;

/** A key that was created by hand under the name has another expiry. */
export const isPlaygroundKey = (apiKey: Tables["apiKey"]): SQL | undefined =>
  and(
    eq(apiKey.name, PLAYGROUND.name),
    eq(apiKey.environment, PLAYGROUND.environment),
    isNotNull(apiKey.createdBy),
    sql`coalesce(${apiKey.expiresAt}, 0) - ${apiKey.createdAt} = ${PLAYGROUND_SECONDS}`,
  );

type Create = (key: {
  name: string;
  environment: Environment;
  scopes: readonly Scope[];
  projectId: string;
  createdBy: string;
  expiresAt: number;
}) => Promise<KeyWithSecret>;

export function playgroundKeys(database: Database, clock: Clock, create: Create) {
  const { query, tables } = database;
  const { apiKey, project } = tables;
  const audit = openAudit(database, clock);
  return async (projectId: string, createdBy: string): Promise<KeyWithSecret> => {
    const now = unixSeconds(clock);
    const expiresAt = now + PLAYGROUND_SECONDS;
    const theirs = and(
      isPlaygroundKey(apiKey),
      eq(apiKey.projectId, projectId),
      eq(apiKey.createdBy, createdBy),
    );
    const [found] = await query
      .select({ key: apiKey, defaults: project.defaultKeyRestrictions })
      .from(apiKey)
      .innerJoin(project, and(eq(project.id, apiKey.projectId), eq(project.status, "active")))
      .where(and(theirs, isNull(apiKey.revokedAt)))
      .orderBy(desc(apiKey.id))
      .limit(1);
    if (found) {
      const { key, defaults } = found;
      const secret = newSecret(PLAYGROUND.environment);
      const fields = {
        ...displayParts(secret),
        ...{ hash: hashSecret(secret), scopes: [...USUAL_SCOPES], createdAt: now, expiresAt },
        restrictions: withUnusedBudget(defaults, now),
      };
      const update = query
        .update(apiKey)
        .set(fields)
        .where(and(eq(apiKey.id, key.id), isNull(apiKey.revokedAt)));
      const { last4 } = fields;
      if (await audit.ifChanged(update, [], [keyEvent("api_key.updated", key, { last4, expiresAt })]))
        return { ...keyRecord({ ...key, ...fields }, clock), secret };
    }
    return create({ ...PLAYGROUND, projectId, createdBy, expiresAt });
  };
}
