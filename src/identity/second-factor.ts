/**
 * The second factor of a password: codes of an authenticator app, and ten recovery codes for when it is lost.
 *
 *   sign-in/email ──> password ──> a challenge in a cookie, no session ──> verify-totp or verify-backup-code ──> session
 *   enable ──> secret, recovery codes ──> verify-totp ──> on; every other session of the user ends
 *   a session ──> verify-totp or verify-backup-code ──> confirmed for 15 minutes
 *
 * The library keeps the challenge and the codes. Guesses are counted here, and so are the codes that were used.
 */

import { createHmac, timingSafeEqual } from "node:crypto";
import { and, eq, isNull, lt, ne, or } from "drizzle-orm";
import type { Session } from "../accounts/principal.ts";
import { unixSeconds } from "../clock.ts";
import type { AttemptCounter } from "./attempt-counter.ts";
import type { BetterAuth, IdentityDeps } from "./better-auth.ts";
import { type FactorOwner, openChallenges } from "./challenge.ts";
import { isDeviceOf } from "./device-cookie.ts";
import type { LoginAttempt } from "./login-throttle.ts";
import { sessionTokenIn } from "./routes/cookies.ts";
import type { Input } from "./routes/input.ts";
import { factorNotPossible, signInAgain, wrongCode } from "./routes/library-errors.ts";
import type { OfferedRoute } from "./routes/offered-routes.ts";
import { needConfirmation } from "./second-factor-needs.ts";

type FactorCall = {
  route: OfferedRoute;
  input: Input;
  session: Session | null;
  request: Request;
  attempt: LoginAttempt;
};

type SecondFactorDeps = Pick<IdentityDeps, "database" | "clock" | "log"> & {
  attempts: AttemptCounter;
  secret: () => Promise<string>;
  library: () => Promise<BetterAuth>;
};

export type SecondFactor = {
  /** What the library is to be asked: refuses a guess too many, and a wrong or used code of an authenticator app. */
  admit(call: FactorCall): Promise<{ input: Input; owner: FactorOwner }>;
  /** The code was right, and the library has answered with these cookies. */
  settle(call: FactorCall, owner: FactorOwner, cookies: string[]): Promise<void>;
  /** Keeps the confirmation of a session that the library has replaced. */
  carryOver(session: Session, cookies: string[]): Promise<void>;
};

const TOTP_ROUTE = "two-factor/verify-totp";
export const CODE_ROUTES = [TOTP_ROUTE, "two-factor/verify-backup-code"];
/** Those that a stolen session must not open. */
const CONFIRMED_ROUTES = ["two-factor/generate-backup-codes", "two-factor/disable"];
const URI_ROUTE = "two-factor/get-totp-uri";

export function openSecondFactor(deps: SecondFactorDeps): SecondFactor {
  const { database, clock, attempts, secret } = deps;
  const { query, tables } = database;
  const { session: sessions } = tables;
  const challenged = openChallenges(database);
  const codeTaken = openTotp(deps);
  const guesses = openGuesses(attempts, secret);

  async function confirm(at: Date, { session }: Pick<FactorCall, "session">, cookies: string[]) {
    const token = sessionTokenIn(cookies);
    const isIt = token === null ? eq(sessions.id, session!.id) : eq(sessions.token, token);
    await query.update(sessions).set({ confirmedAt: at }).where(isIt);
    return isIt;
  }

  return {
    async admit(call) {
      const { route, session, input, attempt } = call;
      if (!CODE_ROUTES.includes(route.path)) {
        refuseChange(route.path, session!, unixSeconds(clock));
        return { input, owner: session!.user };
      }
      const owner = session?.user ?? (await challenged(call.request.headers));
      if (owner === null) throw signInAgain();
      await guesses.count(owner, attempt);
      const isTotp = route.path === TOTP_ROUTE;
      if (session && !session.user.twoFactorEnabled) refuseFirstCode(session, isTotp);
      const code = isTotp ? await codeTaken(owner.id, input.code!, session) : recoveryCode(input.code!);
      return { input: { ...input, code }, owner };
    },
    async settle(call, owner, cookies) {
      const isIt = await confirm(new Date(clock.now()), call, cookies);
      await guesses.forget(owner, call.attempt);
      if (call.session && !call.session.user.twoFactorEnabled) {
        const kept = query.select({ id: sessions.id }).from(sessions).where(isIt);
        await query.delete(sessions).where(and(eq(sessions.userId, owner.id), ne(sessions.id, kept)));
      }
    },
    async carryOver(session, cookies) {
      if (session.confirmedAt !== null && sessionTokenIn(cookies) !== null)
        await confirm(new Date(session.confirmedAt * 1000), { session }, cookies);
    },
  };
}

/** Refuses a change that the session may not make. */
function refuseChange(path: string, session: Session, nowSeconds: number): void {
  const isOn = session.user.twoFactorEnabled;
  if (session.source !== null) throw factorNotPossible("provider");
  if (path === "two-factor/enable" && isOn) throw factorNotPossible("on");
  if (CONFIRMED_ROUTES.includes(path) && !isOn) throw factorNotPossible("off");
  if (CONFIRMED_ROUTES.includes(path) || path === URI_ROUTE) needConfirmation(session, nowSeconds);
}

/** The first code switches the factor on: one of the app does, in a session of the password. */
function refuseFirstCode({ source }: Session, isTotp: boolean): void {
  if (source !== null) throw factorNotPossible("provider");
  if (!isTotp) throw factorNotPossible("off");
}

/** Takes a code once, and returns the one that the library takes for it: that has a clock of its own, and forgets. */
function openTotp({ database: { query, tables }, clock, log, library }: SecondFactorDeps) {
  const { twoFactor } = tables;
  return async (userId: string, code: string, session: Session | null): Promise<string> => {
    const [row] = await query.select().from(twoFactor).where(eq(twoFactor.userId, userId));
    if (!row || (session === null && !row.verified)) throw factorNotPossible("off");
    const { decrypted, presentCode } = await library();
    const secret = await decrypted(row.secret).catch((cause) => {
      log.error("second_factor_unreadable", { userId, cause }); // the server's secret is another one
      throw wrongCode();
    });
    const step = stepOf(code.replaceAll(" ", ""), secret, unixSeconds(clock));
    if (step === null) throw wrongCode();
    const isUnused = or(isNull(twoFactor.usedStep), lt(twoFactor.usedStep, step));
    const [taken] = await query
      .update(twoFactor)
      .set({ usedStep: step })
      .where(and(eq(twoFactor.id, row.id), isUnused))
      .returning({ id: twoFactor.id });
    if (!taken) throw wrongCode();
    return presentCode(secret);
  };
}

/** As it was printed, however it was typed. */
function recoveryCode(typed: string): string {
  const bare = typed.toLowerCase().replaceAll(/[\s-]/g, "");
  return `${bare.slice(0, 5)}-${bare.slice(5)}`;
}

const [ACTION, DAILY] = ["second factor", "second factor in a day"];
const DAY_SECONDS = 86_400;
/** Of a million codes three are right at a time: the odds of a guess are below one in 6,000 a day. */
const MOST = { most: 10 };
const MOST_A_DAY = { most: 50, windowSeconds: DAY_SECONDS };
const MOST_OF_DEVICES = { most: 100, windowSeconds: DAY_SECONDS };

/**
 * Counts guesses before they are looked at, by account. Browsers that have signed in to it are counted apart, so that a person
 * who knows the password does not lock them out.
 */
function openGuesses(attempts: AttemptCounter, secret: () => Promise<string>) {
  async function subjectOf({ email, id }: FactorOwner, { device }: LoginAttempt) {
    const isKnown = isDeviceOf(device, email, await secret());
    return { isKnown, subject: isKnown ? `device ${device!.id}` : `account ${id}` };
  }
  return {
    async count(owner: FactorOwner, attempt: LoginAttempt): Promise<void> {
      const { subject, isKnown } = await subjectOf(owner, attempt);
      await attempts.refuse(ACTION, subject, MOST);
      await attempts.refuse(DAILY, subject, MOST_A_DAY);
      if (isKnown) await attempts.refuse(DAILY, `devices of ${owner.id}`, MOST_OF_DEVICES);
    },
    async forget(owner: FactorOwner, attempt: LoginAttempt): Promise<void> {
      const { subject } = await subjectOf(owner, attempt);
      for (const action of [ACTION, DAILY]) await attempts.forget(action, subject);
      await attempts.forget(DAILY, `devices of ${owner.id}`);
    },
  };
}

const STEP_SECONDS = 30;
/** Clocks of phones differ: the code of the step before counts, and that of the next. */
const SKEW_STEPS = [0, -1, 1];

/**
 * Time-based one-time codes (RFC 6238) as authenticator apps make them: SHA-1, six digits, a step of 30 seconds. Pure.
 *
 * The step that `code` is of, counted from 1970; null if it is of none near `nowSeconds`. @internal
 */
export function stepOf(code: string, secret: string, nowSeconds: number): number | null {
  const present = Math.floor(nowSeconds / STEP_SECONDS);
  const steps = SKEW_STEPS.map((skew) => present + skew);
  return steps.find((step) => isSame(code, codeOf(secret, step))) ?? null;
}

/** `secret`: as its UTF-8 bytes. @public the authenticator of the tests */
export function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = digest.at(-1)! & 15;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, "0");
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
