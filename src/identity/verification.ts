/**
 * Verifies an address by its mailed link. Anyone can sign up with someone else's address, so the link alone is not
 * enough: it needs the password chosen at sign-up, or sets a new one.
 */
import { eq } from "drizzle-orm";
import { openUsers } from "../accounts/users.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { IdentityConfig } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { invalidInput } from "../errors.ts";
import type { AttemptCounter } from "./attempt-counter.ts";
import { readProof } from "./links.ts";
import type { Hashing } from "./password-hashing.ts";
import type { Input } from "./routes/input.ts";
import { faultOf } from "./routes/library-errors.ts";

type VerificationDeps = {
  database: Database;
  config: IdentityConfig;
  hashing: Hashing;
  attempts: AttemptCounter;
  clock: Clock;
};

/** Passwords that are tried with a mailed link, whose holder could also set a new one. */
const PASSWORDS = { most: 10 };

/** Returns the verified address. Refuses an invalid link or a wrong password. */
export type CheckProof = (input: Input, secret: string) => Promise<string>;

export function openVerification(deps: VerificationDeps): CheckProof {
  const { database, config, hashing, attempts, clock } = deps;
  const { query, tables } = database;
  const { user, credential } = tables;
  const users = openUsers(database, clock);

  async function unproven(token: string, secret: string) {
    const proof = readProof(token, secret, unixSeconds(clock));
    if (proof === null) throw faultOf(400, "INVALID_TOKEN");
    const [row] = await query
      .select()
      .from(user)
      .innerJoin(credential, eq(credential.userId, user.id))
      .where(eq(user.email, proof.email));
    if (!row || row.user.emailVerified || (proof.userId ?? row.user.id) !== row.user.id)
      throw faultOf(400, "INVALID_TOKEN");
    return { email: proof.email, hash: row.credential.password ?? "", userId: row.user.id };
  }

  return async ({ token, password, newPassword }, secret) => {
    if ((password === undefined) === (newPassword === undefined)) throw onePassword();
    const { email, hash, userId } = await unproven(token!, secret);
    await users.assertCanSignUp(email, config);
    if (newPassword !== undefined) {
      await users.setPassword(email, await hashing.hash(newPassword));
      await users.keepOrganizationName(userId, null); // chosen at sign-up, possibly by someone else
    } else {
      await attempts.refuse("verify-email password", email, PASSWORDS);
      if (!(await hashing.verify(password!, hash))) throw faultOf(401, "INVALID_PASSWORD");
    }
    return email;
  };
}

const onePassword = () =>
  invalidInput([{ field: "password", code: "required", message: "or newPassword is required" }]);
