/** Prolongs the sessions of passwords while they are used, once a day. Those of a provider end when they were to end. */
import { eq } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { SESSION_SECONDS } from "./routes/cookies.ts";

const DAY_MS = 86_400_000;

type SessionEnd = { id: string; expiresAt: Date; source?: string | null };

export async function prolonged(
  { id, expiresAt, source = null }: SessionEnd,
  { database, clock }: { database: Database; clock: Clock },
): Promise<void> {
  const end = clock.now() + SESSION_SECONDS * 1000;
  if (source !== null || expiresAt.getTime() > end - DAY_MS) return;
  const { session } = database.tables;
  await database.query
    .update(session)
    .set({ expiresAt: new Date(end), updatedAt: new Date(clock.now()) })
    .where(eq(session.id, id));
}
