/**
 * Users and how they prove who they are: passwords, sessions, e-mail, invitations.
 *
 *   request -> offered? -> from here? -> how often? -> its fields -> who? -> may they? -> the library -> our envelope
 *
 * The library sees a request that was made anew of what passed: no Host, no forwarded address, no field it was not
 * meant to have.
 */
import { and, eq } from "drizzle-orm";
import { openMembers } from "../accounts/members.ts";
import type { Session, User } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { isConflict } from "../db/database.ts";
import { networkOf, openAttemptCounter } from "./attempt-counter.ts";
import {
  type BetterAuth,
  type BetterAuthUser,
  type IdentityParts,
  openBetterAuth,
  signingSecret,
} from "./better-auth.ts";
import { DEVICE_COOKIE, deviceOf, readDevice, writeDevice } from "./device-cookie.ts";
import { type LoginAttempt, type LoginThrottle, openLoginThrottle } from "./login-throttle.ts";
import {
  answer,
  type Call,
  COOKIE,
  cookieOf,
  cookieWith,
  faultOf,
  type Input,
  notSignedIn,
  type OfferedRoute,
  readInput,
  remade,
  routeOf,
  safely,
  shown,
  slowly,
} from "./offered-routes.ts";
import { openHashing } from "./password-hashing.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { openVerification } from "./verification.ts";

/** Reads the body of a request that may be made, as far as it can be told before. */
type Whole = (request: Request) => Promise<Request>;

export type Identity = {
  /** Loads what signing in stands on, so that the first to sign in delays nobody. */
  warm(): Promise<void>;
  /** Who is signed in; null for nobody. */
  session(headers: Headers): Promise<Session | null>;
  /** Counts a change by somebody who is signed in, and refuses where there were too many in a minute. */
  mayChange(userId: string): Promise<void>;
  /** The library's own routes, those of them that are offered. */
  handle(request: Request, ip: string | null, whole?: Whole): Promise<Response>;
};

/** From one address: each leaves an account that may never be verified. */
const SIGN_UPS_A_DAY = 30;
/** By one person: each is a write that others wait for. */
const CHANGES_A_MINUTE = { most: 300, windowSeconds: 60 };
/** By one person: to anybody, and to the same address. */
const INVITATIONS_AN_HOUR = { most: 20, windowSeconds: 3600 };
const INVITATIONS_OF_ONE = { most: 3, windowSeconds: 86_400 };

export function openIdentity(parts: IdentityParts): Identity {
  const { database, clock, origin } = parts;
  const users = openUsers(database, clock);
  const hashing = openHashing();
  const own = ownRoutes(parts);
  const permit = permissions(parts);
  const checkProof = openVerification({ ...parts, hashing });
  const secret = once(() => signingSecret(parts));
  const attempts = openAttemptCounter(database, clock);
  const throttle = openLoginThrottle(attempts, secret);
  const { visitOf, welcome } = visiting({ secret, throttle, origin });
  const library = once(async () => openBetterAuth({ ...parts, hashing, secret: await secret() }));
  const session = sessionsOf(library);

  async function forward(call: Call, email: string | undefined): Promise<Response> {
    const { route, input } = call;
    const asked = (await library()).handler(remade(call, origin()));
    const response = await asked.catch((error) => {
      throw isConflict(error) ? faultOf(409, "USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION") : error;
    });
    const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
    if (!response.ok) throw faultOf(response.status, String(body?.code ?? ""));
    const isIn = route.path === "sign-in/email" || route.path === "verify-email";
    if (route.path === "sign-up/email")
      await users.nameFirst((body as { user: { id: string } }).user.id, input.organizationName ?? null);
    const cookies = response.headers.getSetCookie();
    if (isIn) cookies.push(await welcome(email!, call.visit));
    return answer(shown(route.path, body, call.session), cookies);
  }

  async function work(call: Call): Promise<Response> {
    const { route, input, visit } = call;
    let email = input.email ?? (route.path === "change-password" ? call.session?.user.email : undefined);
    if (route.attemptsMax > 0 && email !== undefined) await throttle.at(email, visit);
    if (route.path === "sign-up/email") await throttle.inDay(SIGN_UPS_A_DAY, visit);
    await permit(call);
    if (route.path === "verify-email") email = await checkProof(input, await secret());
    const done = own[route.path];
    return done ? answer(await done(input, call.session!), []) : forward(call, email);
  }

  return {
    async warm() {
      await library().catch(() => {}); // whoever comes tries again, and is told
    },
    session: (headers) => safely(session(headers)),
    mayChange: (userId) => safely(attempts.refuse("changes", userId, CHANGES_A_MINUTE)),
    async handle(request, ip, whole = async (asIs) => asIs) {
      const route = routeOf(request);
      requireSameOrigin(request, origin());
      const visit = await safely(visitOf(route, request, ip));
      if (route.attemptsMax > 0) await safely(throttle.arrive(visit)); // whatever it is that was sent
      const input = await readInput(route, await whole(request));
      const who = route.signedIn ? await safely(session(request.headers)) : null;
      if (route.signedIn && !who) throw notSignedIn();
      const done = safely(work({ route, input, session: who, request, ip, visit }));
      return route.quiet ? slowly(done) : done;
    },
  };
}

const sessionsOf =
  (library: () => Promise<BetterAuth>) =>
  async (headers: Headers): Promise<Session | null> => {
    const cookie = cookieOf(headers, COOKIE);
    if (cookie === null) return null;
    const found = await (await library()).api.getSession({ headers: new Headers({ cookie }) });
    return found && { id: found.session.id, user: userOf(found.user) };
  };

type Visiting = { secret: () => Promise<string>; throttle: LoginThrottle; origin: () => string };

/** Which browser comes, and what it is known by the next time. */
function visiting({ secret, throttle, origin }: Visiting) {
  async function visitOf({ path, attemptsMax: most }: OfferedRoute, { headers }: Request, ip: string | null) {
    const mark = cookieOf(headers, DEVICE_COOKIE)?.slice(DEVICE_COOKIE.length + 1) ?? null;
    const device = mark === null ? null : readDevice(mark, await secret());
    return { door: path, most, network: networkOf(ip), device };
  }

  /** Somebody came in: their browser is known from now on. */
  async function welcome(email: string, visit: LoginAttempt): Promise<string> {
    await throttle.cameIn(email, visit);
    const key = await secret();
    const device = writeDevice(deviceOf(email, key, visit.device), key);
    return cookieWith(DEVICE_COOKIE, device, new URL(origin()).protocol === "https:");
  }

  return { visitOf, welcome };
}

/** Made when it is first asked for; where that fails, the next time. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null; // the database did not answer; it may the next time
      throw error;
    });
    return made;
  };
}

type OwnRoute = (input: Input, session: Session) => Promise<object>;

/** The routes that the library would answer without a lock, or with more than a page should have. */
function ownRoutes({ database, clock }: IdentityParts): Record<string, OwnRoute> {
  const members = openMembers(database, clock);
  const { session } = database.tables;
  const actor = (input: Input, { user }: Session) => ({
    userId: user.id,
    organizationId: input.organizationId!,
  });
  return {
    "organization/update-member-role": (input, who) =>
      members.changeRole(actor(input, who), input.memberId!, input.role!),
    "organization/remove-member": async (input, who) => ({
      member: await members.removeMember(actor(input, who), input.memberIdOrEmail!, input.keys),
    }),
    "organization/leave": (input, who) => members.leave(actor(input, who), input.keys),
    "revoke-session": async ({ token }, { user }) => {
      await database.query.delete(session).where(and(eq(session.id, token!), eq(session.userId, user.id)));
      return { status: true };
    },
  };
}

/** Refuses whom the library does not know to refuse, or not without telling them something. */
function permissions({ database, clock, config }: IdentityParts): (call: Call) => Promise<unknown> {
  const members = openMembers(database, clock);
  const users = openUsers(database, clock);
  const attempts = openAttemptCounter(database, clock);
  /** Each is a letter to somebody who did not ask for it. */
  async function mayInvite({ input, session }: Call): Promise<void> {
    const { id } = session!.user;
    await attempts.refuse("invitations", id, INVITATIONS_AN_HOUR);
    await attempts.refuse("invitations", `${id} ${input.email!.toLowerCase()}`, INVITATIONS_OF_ONE);
  }
  return async (call) => {
    const { route, input, session } = call;
    if (session && route.method === "POST")
      await attempts.refuse("changes", session.user.id, CHANGES_A_MINUTE);
    const actor = { userId: session?.user.id ?? "", organizationId: input.organizationId ?? "" };
    switch (route.path) {
      case "sign-up/email":
        return users.admit(input.email!, config);
      case "organization/invite-member":
        await members.needRole(actor, input.role === "owner" ? "owner" : "admin");
        return mayInvite(call);
      case "organization/list-invitations":
        return members.needRole(actor, "admin");
      case "organization/list-members":
        return members.needRole(actor, "member");
      case "organization/cancel-invitation":
        return members.needRoleForInvitation(input.invitationId!, actor.userId);
    }
  };
}

const userOf = ({ id, email, name, emailVerified, operator, createdAt }: BetterAuthUser): User => ({
  ...{ id, email, name, emailVerified, operator },
  createdAt: Math.floor(createdAt.getTime() / 1000),
});
