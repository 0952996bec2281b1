/** Who may sign in with a password: all users, operators only in case the sign-in provider fails, or none. */
import { eq } from "drizzle-orm";
import type { Session } from "../accounts/principal.ts";
import { Refusal } from "../errors.ts";
import type { IdentityDeps } from "./better-auth.ts";

/** Routes that use or set a password; those of the first list make accounts. */
const SIGN_UP = ["sign-up/email", "join", "join/details"];
const PASSWORDS = [
  ...SIGN_UP,
  ...["set-up", "sign-in/email", "verify-email", "send-verification-email"],
  ...["request-password-reset", "reset-password", "change-password"],
];

export function refusePasswords(path: string, { passwords }: IdentityDeps["config"]): void {
  const isRefused = { on: false, operators: SIGN_UP.includes(path), off: PASSWORDS.includes(path) }[
    passwords
  ];
  if (isRefused) throw passwordsOff();
}

/** Ends the session that a password has just opened, unless its user may use one. */
export async function refusePasswordOf(
  cookies: string[],
  sessionOf: (headers: Headers) => Promise<Session | null>,
  { config, database }: Pick<IdentityDeps, "config" | "database">,
): Promise<void> {
  if (config.passwords === "on") return;
  const made = await sessionOf(new Headers({ cookie: cookies.map((each) => each.split(";")[0]).join("; ") }));
  if (made?.user.operator) return;
  const { session } = database.tables;
  if (made) await database.query.delete(session).where(eq(session.id, made.id));
  throw passwordsOff();
}

const passwordsOff = () =>
  new Refusal(
    "password_sign_in_off",
    "Sign in with your company's account: passwords are switched off here.",
  );
