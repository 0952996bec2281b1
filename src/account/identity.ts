/**
 * Users and how they prove who they are: passwords, sessions, e-mail, invitations. The door to better-auth.
 *
 *   request -> offered? -> from here? -> how often? -> its fields -> who? -> may they? -> the library -> our envelope
 *
 * The library sees a request that was made anew of what passed: no Host, no forwarded address, no field it was not
 * meant to have. It is loaded when somebody first asks, for then it is known where browsers find this server.
 */
import { createHmac } from "node:crypto";
import type { BetterAuthOptions } from "better-auth";
import { and, eq } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { IdentityConfig } from "../config.ts";
import { type Database, isConflict } from "../db/open.ts";
import { type IdPrefix, newId } from "../ids.ts";
import type { Log } from "../log.ts";
import { installationSecret } from "./accounts.ts";
import { networkOf, openAttempts } from "./attempts.ts";
import {
  answer,
  type Call,
  COOKIE,
  cookieOf,
  faultOf,
  type Input,
  IP_HEADER,
  notSignedIn,
  PASSWORD,
  PREFIX,
  readInput,
  refuseForeign,
  remade,
  routeOf,
  SESSION_SECONDS,
  safely,
  shown,
  slowly,
} from "./identity-routes.ts";
import type { Mail } from "./mail.ts";
import { openMembers } from "./members.ts";
import { openPeople } from "./people.ts";
import type { Session, User } from "./principal.ts";

export type Identity = {
  /** Who is signed in; null for nobody. */
  session(headers: Headers): Promise<Session | null>;
  /** The library's own routes, those of them that are offered. */
  handle(request: Request, ip: string | null): Promise<Response>;
};

export type IdentityParts = {
  database: Database;
  config: IdentityConfig;
  /** Where mail is written without a server for it. */
  folder: string;
  /** Where browsers find this server. */
  origin: () => string;
  /** The e-mail of an owner was verified for the first time: what their organization starts with is theirs. */
  verified: (organizationId: string) => Promise<void>;
  clock: Clock;
  log: Log;
};

/** What is used of the library. */
type Library = {
  handler(request: Request): Promise<Response>;
  api: {
    getSession(asked: { headers: Headers }): Promise<{ session: { id: string }; user: LibraryUser } | null>;
  };
};
type LibraryUser = Omit<User, "createdAt"> & { createdAt: Date };

export const hashPassword = async (password: string): Promise<string> =>
  (await import("better-auth/crypto")).hashPassword(password);

export function openIdentity(parts: IdentityParts): Identity {
  const { database, clock, origin } = parts;
  const people = openPeople(database, clock);
  const attempts = openAttempts(database, clock);
  const own = ownRoutes(database);
  const permit = permissions(parts);
  let opening: Promise<Library> | null = null;

  function library(): Promise<Library> {
    opening ??= openLibrary(parts).catch((error) => {
      opening = null; // the database did not answer; it may the next time
      throw error;
    });
    return opening;
  }

  async function session(headers: Headers): Promise<Session | null> {
    const cookie = cookieOf(headers);
    if (cookie === null) return null;
    const found = await (await library()).api.getSession({ headers: new Headers({ cookie }) });
    return found && { id: found.session.id, user: userOf(found.user) };
  }

  async function forward(call: Call): Promise<Response> {
    const { route, input } = call;
    const asked = (await library()).handler(remade(call, origin()));
    const response = await asked.catch((error) => {
      throw isConflict(error) ? faultOf(409, "USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION") : error;
    });
    const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
    if (!response.ok) throw faultOf(response.status, String(body?.code ?? ""));
    if (route.path === "sign-in/email") await attempts.forget(route.path, input.email!.toLowerCase());
    if (route.path === "sign-up/email")
      await people.settle((body as { user: { id: string } }).user.id, input.organizationName ?? null);
    return answer(shown(route.path, body, call.session), response.headers.getSetCookie());
  }

  async function work(call: Call): Promise<Response> {
    const { route, input } = call;
    const email = input.email ?? (route.path === "change-password" ? call.session?.user.email : undefined);
    if (route.limited && email !== undefined) await attempts.count(route.path, email.toLowerCase());
    await permit(call);
    const done = own[route.path];
    return done ? answer(await done(input, call.session!), []) : forward(call);
  }

  return {
    session: (headers) => safely(session(headers)),
    async handle(request, ip) {
      const route = routeOf(request);
      refuseForeign(request, origin());
      if (route.limited) await safely(attempts.count(route.path, networkOf(ip))); // whatever it is that was sent
      const input = await readInput(route, request);
      const who = route.signedIn ? await safely(session(request.headers)) : null;
      if (route.signedIn && !who) throw notSignedIn();
      const done = safely(work({ route, input, session: who, request, ip }));
      return route.quiet ? slowly(done) : done;
    },
  };
}

/** The routes that the library would answer without a lock, or with more than a page should have. */
function ownRoutes(database: Database): Record<string, (input: Input, session: Session) => Promise<object>> {
  const members = openMembers(database);
  const { session } = database.tables;
  const actor = (input: Input, { user }: Session) => ({
    userId: user.id,
    organizationId: input.organizationId!,
  });
  return {
    "organization/update-member-role": (input, who) =>
      members.changeRole(actor(input, who), input.memberId!, input.role!),
    "organization/remove-member": async (input, who) => ({
      member: await members.removeMember(actor(input, who), input.memberIdOrEmail!),
    }),
    "organization/leave": (input, who) => members.leave(actor(input, who)),
    "revoke-session": async ({ token }, { user }) => {
      await database.query.delete(session).where(and(eq(session.id, token!), eq(session.userId, user.id)));
      return { status: true };
    },
  };
}

/** Refuses whom the library does not know to refuse, or not without telling them something. */
function permissions({ database, clock, config }: IdentityParts): (call: Call) => Promise<unknown> {
  const members = openMembers(database);
  const people = openPeople(database, clock);
  return async ({ route, input, session }) => {
    const actor = { userId: session?.user.id ?? "", organizationId: input.organizationId ?? "" };
    switch (route.path) {
      case "sign-up/email":
        return people.admit(input.email!, config);
      case "organization/invite-member":
        return members.needRole(actor, input.role === "owner" ? "owner" : "admin");
      case "organization/list-invitations":
        return members.needRole(actor, "admin");
      case "organization/list-members":
        return members.needRole(actor, "member");
      case "organization/cancel-invitation":
        return members.needRoleForInvitation(input.invitationId!, actor.userId);
    }
  };
}

const userOf = ({ id, email, name, emailVerified, operator, createdAt }: LibraryUser): User => ({
  ...{ id, email, name, emailVerified, operator },
  createdAt: Math.floor(createdAt.getTime() / 1000),
});

const PREFIXES: Record<string, IdPrefix> = {
  user: "user",
  session: "dsess",
  account: "cred",
  verification: "mail",
  member: "mem",
  invitation: "inv",
};

async function openLibrary(parts: IdentityParts): Promise<Library> {
  const { database, config, origin } = parts;
  const [{ betterAuth }, { organization }, { openMail }] = await Promise.all([
    import("better-auth"),
    import("better-auth/plugins/organization"),
    import("./mail.ts"),
  ]);
  const mail = openMail(parts);
  const secret = config.secret?.() ?? (await installationSecret(database));
  const library = betterAuth({
    baseURL: origin(),
    basePath: PREFIX.slice(0, -1),
    secret: createHmac("sha256", secret).update("sessions").digest("hex"),
    ...(await storage(parts)),
    ...signingIn(parts, mail),
    plugins: [
      organization({
        allowUserToCreateOrganization: false,
        membershipLimit: 1000,
        invitationLimit: 1000,
        invitationExpiresIn: 7 * 86_400,
        requireEmailVerificationOnInvitation: true,
        sendInvitationEmail: async ({ id, email, organization: { name }, inviter }) =>
          mail.invite(email, { id, organization: name, inviter: inviter.user.email }),
      }),
    ],
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    onAPIError: { throw: true },
    logger: {
      level: "error",
      log: (_level, message) => parts.log.error("identity", { said: message.split(":")[0] }), // behind it stands data
    },
  });
  return library as unknown as Library;
}

async function storage({ database, clock, origin }: IdentityParts): Promise<BetterAuthOptions> {
  const { drizzleAdapter } = await import("better-auth/adapters/drizzle");
  const { user, session, credential, verification, member, invitation, organization } = database.tables;
  return {
    database: drizzleAdapter(database.query as object as Parameters<typeof drizzleAdapter>[0], {
      provider: "sqlite" in database ? "sqlite" : "pg",
      schema: { user, session, account: credential, verification, member, invitation, organization },
    }),
    advanced: {
      useSecureCookies: false, // which would change the cookie's name
      cookies: {
        session_token: { name: COOKIE, attributes: { secure: new URL(origin()).protocol === "https:" } },
      },
      disableCSRFCheck: true, // done before, and stricter
      disableOriginCheck: true, // no address that the library redirects to reaches it
      ipAddress: { ipAddressHeaders: [IP_HEADER] },
      database: {
        validateSchema: false, // organizations are ours: the library reads two of their columns
        generateId: ({ model }) => newId(PREFIXES[model]!, clock),
      },
    },
  };
}

function signingIn(parts: IdentityParts, mail: Mail): BetterAuthOptions {
  const people = openPeople(parts.database, parts.clock);
  return {
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      minPasswordLength: PASSWORD.min,
      maxPasswordLength: PASSWORD.max,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: 3600,
      sendResetPassword: async ({ user, token }) => mail.reset(user.email, token),
      onExistingUserSignUp: async ({ user }) => mail.known(user.email),
    },
    emailVerification: {
      expiresIn: 86_400,
      autoSignInAfterVerification: true,
      sendVerificationEmail: async ({ user, token }) => mail.verify(user.email, token),
      beforeEmailVerification: ({ id }) => people.settle(id, null), // where it ended between the two
    },
    session: { expiresIn: SESSION_SECONDS, updateAge: 86_400, freshAge: 0 },
    verification: { storeIdentifier: "hashed" },
    user: { additionalFields: { operator: { type: "boolean", input: false, defaultValue: false } } },
    databaseHooks: {
      session: { create: { after: ({ userId }) => granted(parts, userId) } },
    },
  };
}

/** At every sign-in, for one before may have ended between the verification and the grant, which is given once. */
async function granted({ database, clock, verified, log }: IdentityParts, userId: string): Promise<void> {
  try {
    const organizationId = await openPeople(database, clock).founded(userId);
    if (organizationId !== null) await verified(organizationId);
  } catch (cause) {
    log.error("the starting credit waits for the next sign-in", { userId, cause });
  }
}
