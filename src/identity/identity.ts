/**
 * Users and how they authenticate: passwords, sessions, e-mail verification, invitations.
 *
 *   request -> offered route -> same origin -> throttle -> fields -> session, CSRF token -> permission -> library -> response
 *
 * The library receives a new request that holds only what was checked: no Host, no forwarded address, no other field.
 */

import { installationSecret } from "../accounts/accounts.ts";
import type { Session } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { secondsOf } from "../clock.ts";
import { PROXY_SOURCE } from "../config/config.ts";
import { isConflict } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { networksOf, openAttemptCounter } from "./attempt-counter.ts";
import { type BetterAuth, type IdentityDeps, openBetterAuth, signingSecret, userOf } from "./better-auth.ts";
import { openCompanySignIn } from "./company-sign-in.ts";
import { type ChangeCheck, openChangeCheck } from "./csrf.ts";
import { DEVICE_COOKIE, deviceOf, readDevice, writeDevice } from "./device-cookie.ts";
import { openSignatures } from "./hmac.ts";
import { newInvitationSecret, openJoining } from "./invitation-links.ts";
import { type LoginAttempt, type LoginThrottle, openLoginThrottle } from "./login-throttle.ts";
import { once } from "./once.ts";
import { openOperatorSetUp } from "./operator-set-up.ts";
import { CHANGES_PER_MINUTE, ownRoutes, permissions } from "./own-routes.ts";
import { type Hashing, type HashingCaller, openHashing } from "./password-hashing.ts";
import { refusePasswordOf } from "./password-policy.ts";
import { prolonged } from "./prolongation.ts";
import { openProof, type Prove } from "./proof.ts";
import { openProxySignIn, type ProxyPerson } from "./proxy-sign-in.ts";
import { constantTime } from "./routes/constant-time.ts";
import { cookieOf, cookieWith, sessionCookieOf } from "./routes/cookies.ts";
import { jsonResponse, libraryRequest, responseBody } from "./routes/forwarding.ts";
import { type Input, readInput } from "./routes/input.ts";
import { accountsOrUnavailable, faultOf, notSignedIn } from "./routes/library-errors.ts";
import { type OfferedRoute, routeOf, SIGN_IN } from "./routes/offered-routes.ts";
import { requireSameOrigin } from "./same-origin.ts";
import { CODE_ROUTES, openSecondFactor, type SecondFactor } from "./second-factor.ts";
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
type Caller = { ip: string | null; readBody: ReadBody };
type ReadBody = (request: Request) => Promise<Request>;

export type Identity = {
  /** Loads the library, 35 MiB and a tenth of a second, ahead of its first use. */
  warm(): Promise<void>;
  /** The sign-in session of a request, or null. */
  session(headers: Headers): Promise<Session | null>;
  /**
   * Gives the request of a person whom a proxy has signed in their session, and returns its cookie for the response where it
   * is a new one. Without a person, a session that a proxy opened opens nothing.
   */
  enter(request: Request, person: ProxyPerson | null, ip: string | null): Promise<string | null>;
  /** Refuses a change by a signed-in user that does not come from this site with their session's token. */
  checkChange: ChangeCheck;
  /** Refuses who is not proven to be the user of the session: see `proof.ts`. */
  prove: Prove;
  /** Counts a change by a signed-in user, and refuses it if there were too many in a minute. */
  countChange(userId: string): Promise<void>;
  /** The identity routes under /api/auth. */
  handle(request: Request, ip: string | null, readBody?: ReadBody): Promise<Response>;
};

/** From one address: each creates an account that may never be verified. */
const SIGN_UPS_PER_DAY = 30;

const SIGNS_IN = ["sign-in/email", "verify-email"];
/** Of the session's own user. */
const CHECKS_PASSWORD = [
  ...["change-password", "two-factor/enable", "two-factor/get-totp-uri"],
  ...["two-factor/generate-backup-codes", "two-factor/disable"],
];

export function openIdentity(deps: IdentityDeps): Identity {
  const { database, clock, origin, config } = deps;
  const hashing = openHashing(config.passwordCost ?? undefined);
  const making: Record<string, (input: Input) => Promise<Input>> = {
    "set-up": openOperatorSetUp({ database, hashing, clock }),
    join: openJoining({ ...deps, hashing }),
  };
  const routes = ownRoutes(deps);
  const permit = permissions(deps);
  const secret = once(() => signingSecret(deps));
  const attempts = openAttemptCounter(database, clock);
  const checkProof = openVerification({ ...deps, hashing, attempts });
  const prove = openProof({ ...deps, hashing, attempts });
  const throttle = openLoginThrottle(attempts, secret);
  const { attemptOf, signedIn } = openDevices({ secret, throttle, origin });
  const library = once(async () => openBetterAuth({ ...deps, hashing, secret: await secret() }));
  const session = sessionsOf(library, deps);
  const { checkChange, neededSession } = openSessionNeeds(deps, session);
  const factor = openSecondFactor({ ...deps, attempts, secret, library });
  const { forward, changeFactor } = libraryCalls({ factor, library, deps, session, signedIn });
  const proxy = config.proxy && openProxySignIn({ ...deps, secret, session }, config.proxy);
  const company = openCompanySignIn({ ...deps, hashing, secret, session });

  async function perform(call: Call): Promise<Response> {
    const { route, input, attempt } = call;
    const isProven = CHECKS_PASSWORD.includes(route.path);
    let email = input.email ?? (isProven ? call.session?.user.email : undefined);
    if (route.attemptsMax > 0 && !route.byToken && email !== undefined)
      await throttle.countAccount(email, attempt);
    if (route.path === "sign-up/email") await throttle.countDay(SIGN_UPS_PER_DAY, attempt);
    await permit(call);
    if (route.provider !== null) return company.perform(call, route.provider);
    const made = await making[route.path]?.(input);
    if (made) return forward({ ...call, route: SIGN_IN, input: made }, made.email);
    if (route.path === "verify-email") email = await checkProof(input, await secret());
    if (route.path.startsWith("two-factor/")) return changeFactor(call);
    const ownRoute = routes[route.path];
    return ownRoute ? jsonResponse(await ownRoute(input, call.session!), []) : forward(call, email);
  }

  async function answer(route: OfferedRoute, request: Request, { ip, readBody }: Caller): Promise<Response> {
    if (!route.lands) requireSameOrigin(request, origin());
    const attempt = await accountsOrUnavailable(attemptOf(route, request, ip));
    if (route.attemptsMax > 0 && !route.byToken) await accountsOrUnavailable(throttle.countAddress(attempt)); // before reading the body
    const input = await readInput(route, await readBody(request));
    const session = await accountsOrUnavailable(neededSession(route, request));
    const call = { route, input, session, request, ip, attempt };
    const done = inTurn(hashing, call, perform).catch(wrongTokens(throttle, call));
    const response = accountsOrUnavailable(done);
    return route.constantTime ? constantTime(response) : response;
  }

  return {
    async warm() {
      await library().catch(() => {}); // the next request tries again, and reports the error
    },
    session: (headers) => accountsOrUnavailable(session(headers)),
    enter: async (request, person) => proxy && accountsOrUnavailable(proxy.enter(request, person)),
    checkChange,
    prove: (session, password) => accountsOrUnavailable(prove(session, password)),
    countChange: (userId) => accountsOrUnavailable(attempts.refuse("changes", userId, CHANGES_PER_MINUTE)),
    async handle(request, ip, readBody = async (unread) => unread) {
      const [route, caller] = [routeOf(request), { ip, readBody }];
      return route.lands ? company.land(answer(route, request, caller)) : answer(route, request, caller);
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

type LibraryCallDeps = {
  deps: IdentityDeps;
  factor: SecondFactor;
  library: () => Promise<BetterAuth>;
  session: Identity["session"];
  signedIn: ReturnType<typeof openDevices>["signedIn"];
};

function libraryCalls({ deps, factor, library, session, signedIn }: LibraryCallDeps) {
  const users = openUsers(deps.database, deps.clock);
  return {
    async forward(call: Call, email: string | undefined): Promise<Response> {
      const { route, input } = call;
      const { body, cookies } = await askLibrary(await library(), deps, call);
      if (body !== null && "twoFactorRedirect" in body) return jsonResponse(body, cookies); // not signed in yet
      if (route.path === "change-password") await factor.carryOver(call.session!, cookies);
      if (route.path === "sign-up/email")
        await users.keepOrganizationName(userIdOf(body), input.organizationName ?? null);
      if (SIGNS_IN.includes(route.path)) {
        await refusePasswordOf(cookies, session, deps);
        cookies.push(await signedIn(email!, call.attempt));
      }
      return jsonResponse(responseBody(route.path, body, call.session), cookies);
    },
    /** A right code makes its browser known, as a sign-in does. */
    async changeFactor(call: Call): Promise<Response> {
      const { route, attempt } = call;
      const { input, owner } = await factor.admit(call);
      const { body, cookies } = await askLibrary(await library(), deps, { ...call, input });
      if (CODE_ROUTES.includes(route.path)) {
        await factor.settle(call, owner, cookies);
        if (call.session === null) {
          await refusePasswordOf(cookies, session, deps);
          await signedIn(owner.email, { ...attempt, route: SIGN_IN.path }); // forgets the attempts of the first step
        }
        cookies.push(await signedIn(owner.email, attempt));
      }
      return jsonResponse(responseBody(route.path, body, call.session), cookies);
    },
  };
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
async function askLibrary(library: BetterAuth, deps: IdentityDeps, call: Call) {
  const [{ route }, { database, origin }] = [call, deps];
  const response = await library.handler(libraryRequest(call, origin())).catch((error) => {
    throw isConflict(error) ? faultOf(409, "USER_IS_ALREADY_A_MEMBER_OF_THIS_ORGANIZATION") : error;
  });
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (!response.ok) {
    const fault = faultOf(response.status, String(body?.code ?? ""));
    if (fault.code === "service_unavailable") await database.probe(); // says why, as on a full disk; the library does not
    throw fault;
  }
  if (route.path === "organization/invite-member") Object.assign(body!, await passedOn(library, deps, body!));
  return { body, cookies: response.headers.getSetCookie() };
}

/** An inviter is told what became of the mail, and the secret of the link where none is sent. */
const passedOn = async (library: BetterAuth, deps: IdentityDeps, { id }: Record<string, unknown>) => ({
  mail: await library.mailOf(String(id)),
  secret: await newInvitationSecret(deps, String(id)),
});

const sessionsOf =
  (library: () => Promise<BetterAuth>, deps: IdentityDeps) =>
  async (headers: Headers): Promise<Session | null> => {
    const cookie = sessionCookieOf(headers);
    if (cookie === null) return null;
    const current = await (await library()).api.getSession({ headers: new Headers({ cookie }) });
    if (!current) return null;
    const { id, source = null, confirmedAt = null, singleFactor = false } = current.session;
    if (source === PROXY_SOURCE && deps.config.proxy === null) return null; // no proxy signs people in any more
    if (source === null && current.user.twoFactorEnabled && confirmedAt === null) return null; // a password is not enough
    await prolonged(current.session, deps);
    const confirmed = confirmedAt && secondsOf(confirmedAt);
    return { id, source, confirmedAt: confirmed, isSingleFactor: singleFactor, user: userOf(current.user) };
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
    if (!found && needsSession === "maybe") return null;
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
