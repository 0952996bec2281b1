/**
 * Configures better-auth: tables, mail, cookies, sign-in. Loaded on first use, when the server's public origin is
 * known.
 */
import { createHmac } from "node:crypto";
import type { BetterAuthOptions } from "better-auth";
import { and, desc, eq, notInArray } from "drizzle-orm";
import { installationSecret } from "../accounts/accounts.ts";
import type { User } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { IdentityConfig } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { type IdPrefix, newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import { endsWithin } from "../within.ts";
import { openAttemptCounter } from "./attempt-counter.ts";
import { LINK_SECONDS, signProof } from "./links.ts";
import type { Mail } from "./mail.ts";
import type { MailOutbox, MailState } from "./mail-outbox.ts";
import type { Hashing } from "./password-hashing.ts";
import { SESSION_COOKIE, SESSION_SECONDS } from "./routes/cookies.ts";
import { PASSWORD } from "./routes/fields.ts";
import { IP_HEADER } from "./routes/forwarding.ts";
import { PREFIX } from "./routes/offered-routes.ts";

export type IdentityDeps = {
  database: Database;
  config: IdentityConfig;
  mailOutbox: Pick<MailOutbox, "post">;
  /** The origin under which browsers reach this server. */
  origin: () => string;
  /** Called when the owner of an organization has verified their address: grants the starting credit. */
  verified: (organizationId: string) => Promise<void>;
  clock: Clock;
  log: Log;
};

/** The part of the library that is used. */
export type BetterAuth = {
  handler(request: Request): Promise<Response>;
  api: {
    getSession(asked: {
      headers: Headers;
    }): Promise<{ session: { id: string }; user: BetterAuthUser } | null>;
  };
  /** What became of the mail of an invitation that was just made; waits for it, but not for long. */
  mailOf(invitationId: string): Promise<MailState>;
};
export type BetterAuthUser = Omit<User, "createdAt"> & { createdAt: Date };

/** How long an inviter waits to be told. */
const MAIL_WAIT_MS = 5000;

const FEW = { most: 5, windowSeconds: 900 };
/** How many mails of each kind are sent to one address. Invitations are also shown after signing in. */
const LETTERS = { verify: FEW, known: FEW, reset: FEW, invite: { most: 10, windowSeconds: 86_400 } };

type BetterAuthDeps = IdentityDeps & { hashing: Hashing; secret: string };

/** The secret that signs sessions and mailed links. */
export async function signingSecret({
  database,
  config,
}: Pick<IdentityDeps, "database" | "config">): Promise<string> {
  const secret = config.secret?.() ?? (await installationSecret(database));
  return createHmac("sha256", secret).update("sessions").digest("hex");
}

const PREFIXES: Record<string, IdPrefix> = {
  user: "user",
  session: "dsess",
  account: "cred",
  verification: "mail",
  member: "mem",
  invitation: "inv",
};

export async function openBetterAuth(deps: BetterAuthDeps): Promise<BetterAuth> {
  const { origin, secret } = deps;
  const { betterAuth, organization, drizzleAdapter } = await loadInParts();
  const { INVITATION_SECONDS, openMail, RESET_SECONDS } = await import("./mail.ts");
  const mail = openMail({ outbox: deps.mailOutbox, origin });
  const letters = boundedLetters(deps);
  const invited = new Map<string, Promise<MailState>>();
  const library = betterAuth({
    baseURL: new URL(origin()).origin, // pages lie below the path of the public address, if it has one
    basePath: PREFIX.slice(0, -1),
    secret,
    ...storage(deps, drizzleAdapter),
    ...signingIn(deps, { mail, letters, resetSeconds: RESET_SECONDS }),
    plugins: [
      organization({
        allowUserToCreateOrganization: false,
        membershipLimit: 1000,
        invitationLimit: 1000,
        invitationExpiresIn: INVITATION_SECONDS,
        requireEmailVerificationOnInvitation: true,
        async sendInvitationEmail({ id, email, organization: { name }, inviter }) {
          const letter = { id, organization: name, inviter: inviter.user.email };
          const isSent = await letters.isAllowed("invite", email);
          invited.set(id, isSent ? (await mail.invite(email, letter)).sent : Promise.resolve("failed"));
          setTimeout(() => invited.delete(id), MAIL_WAIT_MS).unref(); // where it fails afterwards, nothing asks
        },
      }),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    onAPIError: { throw: true },
    logger: {
      level: "error",
      log: (_level, message) => deps.log.error("identity_error", { message: message.split(":")[0] }), // data follows
    },
  });
  return {
    ...(library as unknown as Pick<BetterAuth, "handler" | "api">),
    async mailOf(invitationId) {
      const state = invited.get(invitationId);
      invited.delete(invitationId);
      return state && (await endsWithin(MAIL_WAIT_MS, state)) ? state : "waiting";
    },
  };
}

/**
 * A module and all that it imports are evaluated in one go, which holds every request: of the whole library, for a tenth of
 * a second of processor time. So its parts are loaded one by one, the smaller first, and other work runs between them.
 */
async function loadInParts() {
  const parts = [
    () => import("better-auth/crypto"),
    () => import("better-auth/db"),
    () => import("better-auth/oauth2"),
    () => import("better-auth/social-providers"),
    () => import("better-auth/api"),
  ];
  for (const load of parts) {
    await load();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { betterAuth } = await import("better-auth/minimal");
  const { organization } = await import("better-auth/plugins/organization");
  const { drizzleAdapter } = await import("better-auth/adapters/drizzle");
  return { betterAuth, organization, drizzleAdapter };
}

type DrizzleAdapter = Awaited<ReturnType<typeof loadInParts>>["drizzleAdapter"];

function storage(
  { database, clock, origin }: IdentityDeps,
  drizzleAdapter: DrizzleAdapter,
): BetterAuthOptions {
  const { user, session, credential, verification, member, invitation, organization } = database.tables;
  return {
    database: drizzleAdapter(database.query as object as Parameters<DrizzleAdapter>[0], {
      provider: "sqlite" in database ? "sqlite" : "pg",
      schema: { user, session, account: credential, verification, member, invitation, organization },
    }),
    advanced: {
      useSecureCookies: false, // which would change the cookie's name
      cookies: {
        session_token: {
          name: SESSION_COOKIE,
          attributes: { secure: new URL(origin()).protocol === "https:", path: new URL(origin()).pathname },
        },
      },
      disableCSRFCheck: true, // same-origin.ts checks more strictly
      disableOriginCheck: true, // no redirect address is passed to the library
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
      database: {
        validateSchema: false, // organizations are ours: the library reads two of their columns
        generateId: ({ model }) => newId(PREFIXES[model]!, clock),
      },
    },
  };
}

type Mailing = { mail: Mail; letters: ReturnType<typeof boundedLetters>; resetSeconds: number };

/** Anyone can cause mail to any address, so each address receives a limited number. */
function boundedLetters({ database, clock, log }: BetterAuthDeps) {
  const attempts = openAttemptCounter(database, clock);
  async function isAllowed(letter: keyof typeof LETTERS, to: string): Promise<boolean> {
    const { most, windowSeconds } = LETTERS[letter];
    const isFew = (await attempts.count(`letter ${letter}`, to, windowSeconds)) <= most;
    if (!isFew) log.warn("mail_suppressed", { reason: "too many to one address" });
    return isFew;
  }
  return {
    isAllowed,
    async atMost(letter: keyof typeof LETTERS, to: string, send: () => Promise<void>) {
      if (await isAllowed(letter, to)) await send();
    },
  };
}

function signingIn(deps: BetterAuthDeps, { mail, letters, resetSeconds }: Mailing): BetterAuthOptions {
  const { hashing, secret, clock } = deps;
  const { atMost } = letters;
  const users = openUsers(deps.database, clock);
  const verify = ({ id: userId, email }: { id: string; email: string }) =>
    atMost("verify", email, () =>
      mail.verify(email, signProof({ email, userId }, secret, unixSeconds(clock))),
    );
  return {
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: PASSWORD.min,
      maxPasswordLength: PASSWORD.max,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: resetSeconds,
      sendResetPassword: ({ user: { email }, token }) =>
        atMost("reset", email, () => mail.reset(email, token)),
      onExistingUserSignUp: ({ user }) =>
        user.emailVerified ? atMost("known", user.email, () => mail.known(user.email)) : verify(user),
      password: { hash: hashing.hash, verify: ({ password, hash }) => hashing.verify(password, hash) },
    },
    emailVerification: {
      expiresIn: LINK_SECONDS,
      autoSignInAfterVerification: true,
      sendVerificationEmail: ({ user }) => verify(user),
      beforeEmailVerification: ({ id }) => users.provision(id),
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: 86_400, freshAge: 0 },
    verification: { storeIdentifier: "hashed" },
    user: { additionalFields: { operator: { type: "boolean", input: false, defaultValue: false } } },
    databaseHooks: {
      session: {
        create: {
          async after({ userId }) {
            await granted(deps, userId);
            await endOldest(deps, userId);
          },
        },
      },
    },
  };
}

/** Runs at every sign-in, in case an earlier one failed between verification and grant. Granting is idempotent. */
async function granted({ database, clock, verified, log }: IdentityDeps, userId: string): Promise<void> {
  try {
    const organizationId = await openUsers(database, clock).ownOrganization(userId);
    if (organizationId !== null) await verified(organizationId);
  } catch (cause) {
    log.error("starting_credit_failed", { userId, cause });
  }
}

const SESSIONS_MAX = 50;

/** Keeps the newest sessions of a user: ids are ordered by time. */
async function endOldest({ database: { query, tables } }: IdentityDeps, userId: string): Promise<void> {
  const { session } = tables;
  const isTheirs = eq(session.userId, userId);
  const newest = query
    .select({ id: session.id })
    .from(session)
    .where(isTheirs)
    .orderBy(desc(session.id))
    .limit(SESSIONS_MAX);
  await query.delete(session).where(and(isTheirs, notInArray(session.id, newest)));
}
