/**
 * Configures better-auth: tables, mail, cookies, sign-in. Loaded on first use, when the server's public origin is
 * known.
 */
import { createHmac } from "node:crypto";
import type { BetterAuthOptions } from "better-auth";
import { installationSecret } from "../accounts/accounts.ts";
import type { User } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { type Clock, endsWithin, secondsOf, unixSeconds } from "../clock.ts";
import type { IdentityConfig } from "../config/config.ts";
import type { Database } from "../db/database.ts";
import { type IdPrefix, newId } from "../ids.ts";
import type { Log } from "../log/log.ts";
import { type Company, providerPlugin, secondFactorPlugin } from "./better-auth-plugins.ts";
import { type BoundedLetters, openBoundedLetters } from "./letters.ts";
import { LINK_SECONDS, signProof } from "./links.ts";
import type { Mail } from "./mail.ts";
import type { MailOutbox, MailState } from "./mail-outbox.ts";
import { endOldest, granted } from "./opened-sessions.ts";
import type { Hashing } from "./password-hashing.ts";
import { CHALLENGE_COOKIE, SESSION_COOKIE, SESSION_SECONDS, STATE_COOKIE } from "./routes/cookies.ts";
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
    }): Promise<{ session: BetterAuthSession; user: BetterAuthUser } | null>;
  };
  /** What it has stored encrypted. */
  decrypted(sealed: string): Promise<string>;
  /** The code that it takes now for a secret of an authenticator app. */
  presentCode(secret: string): Promise<string>;
  /** What became of the mail of an invitation that was just made; waits for it, but not for long. */
  mailOf(invitationId: string): Promise<MailState>;
};
type BetterAuthSession = {
  id: string;
  expiresAt: Date;
  source?: string | null;
  confirmedAt?: Date | null;
  singleFactor?: boolean;
};
type BetterAuthUser = Omit<User, "createdAt"> & { createdAt: Date };

/** Without what only the library needs. */
export const userOf = ({ createdAt, ...user }: BetterAuthUser): User => {
  const { id, email, name, emailVerified, operator, twoFactorEnabled } = user;
  const known = { id, email, name, emailVerified, operator, twoFactorEnabled: twoFactorEnabled === true };
  return { ...known, createdAt: secondsOf(createdAt) };
};

/** How long an inviter waits to be told. */
const MAIL_WAIT_MS = 5000;

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
  twoFactor: "factor",
};

/** With a company, it is the library of sign-ins with that provider only: what is asked there delays no others. */
export async function openBetterAuth(
  deps: BetterAuthDeps,
  company: Company | null = null,
): Promise<BetterAuth> {
  const { origin, secret } = deps;
  const { betterAuth, organization, drizzleAdapter, symmetricDecrypt } = await loadInParts();
  const { INVITATION_SECONDS, openMail, RESET_SECONDS } = await import("./mail.ts");
  const mail = openMail({ outbox: deps.mailOutbox, origin });
  const letters = openBoundedLetters(deps);
  const invited = new Map<string, Promise<MailState>>();
  const library = betterAuth({
    baseURL: new URL(origin()).origin, // pages lie below the path of the public address, if it has one
    basePath: PREFIX.slice(0, -1),
    secret,
    ...storage(deps, drizzleAdapter),
    ...signingIn(deps, { mail, letters, resetSeconds: RESET_SECONDS }),
    databaseHooks: hooks(deps, company),
    plugins: [
      ...(company ? [await providerPlugin(company, origin)] : [await secondFactorPlugin()]),
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
  const { api } = library as unknown as { api: Generating };
  return {
    ...(library as unknown as Pick<BetterAuth, "handler" | "api">),
    decrypted: (sealed) => symmetricDecrypt({ key: secret, data: sealed }),
    presentCode: async (code) => (await api.generateTOTP({ body: { secret: code } })).code,
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
  const { symmetricDecrypt } = await import("better-auth/crypto");
  return { betterAuth, organization, drizzleAdapter, symmetricDecrypt };
}

type Generating = { generateTOTP(asked: { body: { secret: string } }): Promise<{ code: string }> };
type DrizzleAdapter = Awaited<ReturnType<typeof loadInParts>>["drizzleAdapter"];

function storage(
  { database, clock, origin }: IdentityDeps,
  drizzleAdapter: DrizzleAdapter,
): BetterAuthOptions {
  const { user, session, credential, verification, member, invitation, organization, twoFactor } =
    database.tables;
  const { protocol, pathname } = new URL(origin());
  const attributes = { secure: protocol === "https:", path: pathname };
  return {
    database: drizzleAdapter(database.query as object as Parameters<DrizzleAdapter>[0], {
      provider: "sqlite" in database ? "sqlite" : "pg",
      schema: {
        user,
        session,
        account: credential,
        verification,
        member,
        invitation,
        organization,
        twoFactor,
      },
    }),
    advanced: {
      useSecureCookies: false, // which would change the cookie's name
      cookies: {
        session_token: { name: SESSION_COOKIE, attributes },
        state: { name: STATE_COOKIE, attributes },
        two_factor: { name: CHALLENGE_COOKIE, attributes },
      },
      disableCSRFCheck: true, // same-origin.ts checks more strictly
      disableOriginCheck: true, // no redirect address of a client is passed to the library
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
      database: {
        validateSchema: false, // organizations are ours: the library reads two of their columns
        generateId: ({ model }) => newId(PREFIXES[model]!, clock),
      },
    },
  };
}

type Mailing = { mail: Mail; letters: BoundedLetters; resetSeconds: number };

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
    account: { updateAccountOnSignIn: false },
    session: {
      ...{ expiresIn: SESSION_SECONDS, freshAge: 0 },
      disableSessionRefresh: true, // prolongation.ts does it, for some
      additionalFields: {
        source: { type: "string", required: false, input: false },
        confirmedAt: { type: "date", required: false, input: false },
        singleFactor: { type: "boolean", required: false, input: false, defaultValue: false },
      },
    },
    verification: { storeIdentifier: "hashed" },
    user: { additionalFields: { operator: { type: "boolean", input: false, defaultValue: false } } },
  };
}

function hooks(deps: IdentityDeps, company: Company | null): BetterAuthOptions["databaseHooks"] {
  const { provider } = company ?? {};
  return {
    // nothing is asked of the provider later
    account: { create: { before: async (account) => ({ data: { ...account, ...WITHOUT_TOKENS } }) } },
    session: {
      create: {
        async before(session) {
          const expiresAt = new Date(deps.clock.now() + (provider?.sessionMs ?? 0));
          return { data: provider ? { ...session, source: provider.id, expiresAt } : session };
        },
        async after({ userId }) {
          await granted(deps, userId);
          await endOldest(deps, userId);
        },
      },
    },
  };
}

const WITHOUT_TOKENS = { accessToken: null, refreshToken: null, idToken: null };
