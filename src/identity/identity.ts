/**
 * Users and how they authenticate: passwords, sessions, e-mail verification, invitations.
 *
 *   request -> offered route -> same origin -> throttle -> fields -> session, CSRF token -> permission -> library -> response
 *
 * The library receives a new request that holds only what was checked: no Host, no forwarded address, no other field.
 */
import { and, eq } from "drizzle-orm";
import { installationSecret } from "../accounts/accounts.ts";
import { openMembers } from "../accounts/members.ts";
import type { Session, User } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { isConflict } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { networksOf, openAttemptCounter } from "./attempt-counter.ts";
import {
  type BetterAuth,
  type BetterAuthUser,
  type IdentityDeps,
  openBetterAuth,
  signingSecret,
} from "./better-auth.ts";
import { type ChangeCheck, openChangeCheck } from "./csrf.ts";
import { DEVICE_COOKIE, deviceOf, readDevice, writeDevice } from "./device-cookie.ts";
import { openSignatures } from "./hmac.ts";
import { type LoginAttempt, type LoginThrottle, openLoginThrottle } from "./login-throttle.ts";
import { openOperatorSetUp } from "./operator-set-up.ts";
import { type Hashing, type HashingCaller, openHashing } from "./password-hashing.ts";
import { constantTime } from "./routes/constant-time.ts";
import { cookieOf, cookieWith, sessionCookieOf } from "./routes/cookies.ts";
import { jsonResponse, libraryRequest, responseBody } from "./routes/forwarding.ts";
import { type Input, readInput } from "./routes/input.ts";
import { accountsOrUnavailable, faultOf, notSignedIn } from "./routes/library-errors.ts";
import { type OfferedRoute, routeOf, SIGN_IN } from "./routes/offered-routes.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { openVerification } from "./verification.ts";

/** A call whose route, origin and fields have been checked. */
type Call = {
  route: OfferedRoute;
  input: Input;
  session: Session | null;
  request: Request;
  ip: string | null;
  attempt: LoginAttempt;
};

/** Reads the whole body, within its limits. */
type ReadBody = (request: Request) => Promise<Request>;

export type Identity = {
  /** Loads the library, 35 MiB and a tenth of a second, ahead of its first use. */
  warm(): Promise<void>;
  /** The sign-in session of a request, or null. */
  session(headers: Headers): Promise<Session | null>;
  /** Refuses a change by a signed-in user that does not come from this site with their session's token. */
  checkChange: ChangeCheck;
  /** Counts a change by a signed-in user, and refuses it if there were too many in a minute. */
  countChange(userId: string): Promise<void>;
  /** The identity routes under /api/auth. */
  handle(request: Request, ip: string | null, readBody?: ReadBody): Promise<Response>;
};

/** From one address: each creates an account that may never be verified. */
const SIGN_UPS_PER_DAY = 30;
/** By one user: each is a write, and writes are serialized. */
const CHANGES_PER_MINUTE = { most: 300, windowSeconds: 60 };
/** By one user: to all addresses, and to one. */
const INVITATIONS_PER_HOUR = { most: 20, windowSeconds: 3600 };
const INVITATIONS_PER_ADDRESS = { most: 3, windowSeconds: 86_400 };

const SIGNS_IN = ["sign-in/email", "verify-email"];

export function openIdentity(deps: IdentityDeps): Identity {
  const { database, clock, origin } = deps;
  const [users, hashing] = [openUsers(database, clock), openHashing()];
  const setUp = openOperatorSetUp({ database, hashing, clock });
  const routes = ownRoutes(deps);
  const permit = permissions(deps);
  const secret = once(() => signingSecret(deps));
  const attempts = openAttemptCounter(database, clock);
  const checkProof = openVerification({ ...deps, hashing, attempts });
  const throttle = openLoginThrottle(attempts, secret);
  const { attemptOf, signedIn } = openDevices({ secret, throttle, origin });
  const library = once(async () => openBetterAuth({ ...deps, hashing, secret: await secret() }));
  const session = sessionsOf(library);
  const { checkChange, neededSession } = openSessionNeeds(deps, session);

  async function forward(call: Call, email: string | undefined): Promise<Response> {
    const { route, input } = call;
    const { body, cookies } = await askLibrary(await library(), deps, call);
    if (route.path === "sign-up/email")
      await users.keepOrganizationName(userIdOf(body), input.organizationName ?? null);
    if (SIGNS_IN.includes(route.path)) cookies.push(await signedIn(email!, call.attempt));
    return jsonResponse(responseBody(route.path, body, call.session), cookies);
  }

  async function perform(call: Call): Promise<Response> {
    const { route, input, attempt } = call;
    let email = input.email ?? (route.path === "change-password" ? call.session?.user.email : undefined);
    if (route.attemptsMax > 0 && !route.byToken && email !== undefined)
      await throttle.countAccount(email, attempt);
    if (route.path === "sign-up/email") await throttle.countDay(SIGN_UPS_PER_DAY, attempt);
    await permit(call);
    if (route.path === "set-up")
      return forward({ ...call, route: SIGN_IN, input: await setUp(input) }, email);
    if (route.path === "verify-email") email = await checkProof(input, await secret());
    const ownRoute = routes[route.path];
    return ownRoute ? jsonResponse(await ownRoute(input, call.session!), []) : forward(call, email);
  }

  return {
    async warm() {
      await library().catch(() => {}); // the next request tries again, and reports the error
    },
    session: (headers) => accountsOrUnavailable(session(headers)),
    checkChange,
    countChange: (userId) => accountsOrUnavailable(attempts.refuse("changes", userId, CHANGES_PER_MINUTE)),
    async handle(request, ip, readBody = async (unread) => unread) {
      const route = routeOf(request);
      requireSameOrigin(request, origin());
      const attempt = await accountsOrUnavailable(attemptOf(route, request, ip));
      if (route.attemptsMax > 0 && !route.byToken)
        await accountsOrUnavailable(throttle.countAddress(attempt)); // before reading the body
      const input = await readInput(route, await readBody(request));
      const session = await accountsOrUnavailable(neededSession(route, request));
      const call = { route, input, session, request, ip, attempt };
      const done = inTurn(hashing, call, perform).catch(wrongTokens(throttle, call));
      const response = accountsOrUnavailable(done);
      return route.constantTime ? constantTime(response) : response;
    },
  };
}

/** What it hashes waits for the turns of its account, or of its network or site. */
const inTurn = (hashing: Hashing, call: Call, perform: (call: Call) => Promise<Response>) =>
  hashing.asCaller(hashingCaller(call), () => perform(call));

function hashingCaller({ session, attempt }: Call): HashingCaller {
  const { device, network, site } = attempt;
  if (session !== null) return { name: session.user.id, isKnown: true };
  return device ? { name: device.account, isKnown: true } : { name: site ?? network, isKnown: false };
}

/** Counts the wrong token of a failed call, and refuses it differently beyond the limit. */
const wrongTokens =
  (throttle: LoginThrottle, { route, attempt }: Call) =>
  async (error: unknown): Promise<never> => {
    if (route.byToken && error instanceof Refusal && error.code === "invalid_token")
      await throttle.countAddress(attempt);
    throw error;
  };

/** The library's body and cookies; its errors as ours. */
async function askLibrary(library: BetterAuth, { database, origin }: IdentityDeps, call: Call) {
  const { route } = call;
  const response = await library.handler(libraryRequest(call, origin())).catch((error) => {
    throw isConflict(error) ? faultOf(409, "USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION") : error;
  });
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (!response.ok) {
    const fault = faultOf(response.status, String(body?.code ?? ""));
    if (fault.code === "service_unavailable") await database.probe(); // says why, as on a full disk; the library does not
    throw fault;
  }
  return { body: await withMail(library, route, body), cookies: response.headers.getSetCookie() };
}

/** An inviter is told what became of the mail. */
const withMail = async (library: BetterAuth, { path }: OfferedRoute, body: Record<string, unknown> | null) =>
  path === "organization/invite-member" ? { ...body, mail: await library.mailOf(String(body?.id)) } : body;

const sessionsOf =
  (library: () => Promise<BetterAuth>) =>
  async (headers: Headers): Promise<Session | null> => {
    const cookie = sessionCookieOf(headers);
    if (cookie === null) return null;
    const current = await (await library()).api.getSession({ headers: new Headers({ cookie }) });
    return current && { id: current.session.id, user: userOf(current.user) };
  };

function openSessionNeeds(
  { config: identity, database, origin }: IdentityDeps,
  session: Identity["session"],
) {
  const accounts = { installationSecret: () => installationSecret(database) };
  const signatures = openSignatures({ config: { identity }, accounts });
  const checkChange = openChangeCheck({ signatures, origin });
  /** The session of a route that needs one, and its token where the route changes something. */
  async function neededSession({ needsSession, method }: OfferedRoute, request: Request) {
    if (!needsSession) return null;
    const found = await session(request.headers);
    if (!found) throw notSignedIn();
    if (method === "POST") await checkChange(request, found);
    return found;
  }
  return { checkChange, neededSession };
}

const userIdOf = (body: unknown): string => (body as { user: { id: string } }).user.id;

type DevicesDeps = { secret: () => Promise<string>; throttle: LoginThrottle; origin: () => string };

/** The browsers that have signed in before, each recognized by its device cookie. */
function openDevices({ secret, throttle, origin }: DevicesDeps) {
  async function attemptOf({ path, attemptsMax }: OfferedRoute, { headers }: Request, ip: string | null) {
    const cookie = cookieOf(headers, DEVICE_COOKIE)?.slice(DEVICE_COOKIE.length + 1) ?? null;
    const device = cookie === null ? null : readDevice(cookie, await secret());
    return { route: path, attemptsMax, ...networksOf(ip), device };
  }

  /** A sign-in succeeded: the cookie that its browser is recognized by from now on. */
  async function signedIn(email: string, attempt: LoginAttempt): Promise<string> {
    await throttle.reset(email, attempt);
    const key = await secret();
    const device = writeDevice(deviceOf(email, key, attempt.device), key);
    return cookieWith(DEVICE_COOKIE, device, origin());
  }

  return { attemptOf, signedIn };
}

/** Calls `make` on first use, and again after a failure. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error) => {
      made = null; // the database was unavailable; it may be back at the next call
      throw error;
    });
    return made;
  };
}

type OwnRoute = (input: Input, session: Session) => Promise<object>;

/** Routes that the library would perform without a lock, or answer with more than a page may see. */
function ownRoutes({ database, clock }: IdentityDeps): Record<string, OwnRoute> {
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

/** Permissions that the library does not check, or whose refusal would reveal something. */
function permissions({ database, clock, config }: IdentityDeps): (call: Call) => Promise<unknown> {
  const members = openMembers(database, clock);
  const users = openUsers(database, clock);
  const attempts = openAttemptCounter(database, clock);
  /** Each sends mail that its recipient did not ask for. */
  async function mayInvite({ input, session }: Call): Promise<void> {
    const { id } = session!.user;
    await attempts.refuse("invitations", id, INVITATIONS_PER_HOUR);
    await attempts.refuse("invitations", `${id} ${input.email!.toLowerCase()}`, INVITATIONS_PER_ADDRESS);
  }
  return async (call) => {
    const { route, input, session } = call;
    if (session && route.method === "POST")
      await attempts.refuse("changes", session.user.id, CHANGES_PER_MINUTE);
    const actor = { userId: session?.user.id ?? "", organizationId: input.organizationId ?? "" };
    switch (route.path) {
      case "sign-up/email":
        return users.assertCanSignUp(input.email!, config);
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
