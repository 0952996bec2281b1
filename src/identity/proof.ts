/** Proof that a session is its user's: their password, or a sign-in of the last minutes. For what ends an account. */
import { and, eq, isNotNull } from "drizzle-orm";
import type { Session } from "../accounts/principal.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { invalidInput } from "../errors.ts";
import type { AttemptCounter } from "./attempt-counter.ts";
import type { Hashing } from "./password-hashing.ts";
import { faultOf } from "./routes/library-errors.ts";

const FRESH_MS = 15 * 60_000;
/** Passwords that are tried in 15 minutes. */
const PASSWORDS = { most: 10 };

type ProofDeps = { database: Database; hashing: Hashing; attempts: AttemptCounter; clock: Clock };

/** Refuses a wrong password, and a session without one that is older than 15 minutes. */
export type Prove = (session: Session, password: string | null) => Promise<void>;

export function openProof({ database, hashing, attempts, clock }: ProofDeps): Prove {
  const { query, tables } = database;
  const { credential, session } = tables;

  async function isPassword(userId: string, password: string): Promise<boolean> {
    await attempts.refuse("proof password", userId, PASSWORDS);
    const isTheirs = and(eq(credential.userId, userId), isNotNull(credential.password));
    const [row] = await query.select().from(credential).where(isTheirs);
    if (!row) return false;
    const caller = { name: userId, isKnown: true };
    return hashing.asCaller(caller, () => hashing.verify(password, row.password!));
  }

  async function isFresh(id: string): Promise<boolean> {
    const [row] = await query.select().from(session).where(eq(session.id, id));
    return row !== undefined && clock.now() - row.createdAt.getTime() < FRESH_MS;
  }

  return async ({ id, user }, password) => {
    if (password === null && !(await isFresh(id))) throw unproven();
    if (password !== null && !(await isPassword(user.id, password))) throw faultOf(401, "INVALID_PASSWORD");
  };
}

const unproven = () =>
  invalidInput([
    {
      ...{ field: "password", code: "required" },
      message: "is required, or a sign-in of the last 15 minutes",
    },
  ]);
