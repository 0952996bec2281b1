/** A sign-in whose password was right and whose code is awaited: the library keeps it, and names it in a cookie. */
import { hash } from "node:crypto";
import { eq } from "drizzle-orm";
import type { User } from "../accounts/principal.ts";
import type { Database } from "../db/database.ts";
import { CHALLENGE_COOKIE, cookieOf } from "./routes/cookies.ts";

/** Whose second factor it is. */
export type FactorOwner = Pick<User, "id" | "email">;

/** The user of the challenge that a request names; null without one. */
export function openChallenges({ query, tables }: Database) {
  const { user, verification } = tables;
  return async (headers: Headers): Promise<FactorOwner | null> => {
    const cookie = cookieOf(headers, CHALLENGE_COOKIE)?.slice(CHALLENGE_COOKIE.length + 1) ?? "";
    const name = cookie.split(".")[0]!; // cannot be guessed; the library checks its signature and its end
    const isIt = eq(verification.identifier, hash("sha256", name, "base64url"));
    const [found] = await query
      .select({ id: user.id, email: user.email })
      .from(verification)
      .innerJoin(user, eq(verification.value, user.id))
      .where(isIt);
    return found ?? null;
  };
}
