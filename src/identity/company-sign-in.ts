/**
 * Signing in with the account of a company, at its OpenID Connect provider:
 *
 *   sign-in/company ──> state, nonce and code verifier ──> the browser goes to the provider, and comes back with a code
 *   callback/company ──> tokens, verified ID token ──> admission ──> user and session ──> role ──> the first page
 *
 * A browser is only ever sent to the provider, to the first page, or to the sign-in page with the code of a refusal: no
 * address that a client or the provider names is followed.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { eq } from "drizzle-orm";
import { openGroupRoles } from "../accounts/group-roles.ts";
import type { Session } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import { withTimeout } from "../clock.ts";
import type { OidcProvider } from "../config/config.ts";
import { Refusal, toRefusal } from "../errors.ts";
import { type BetterAuth, type IdentityDeps, openBetterAuth } from "./better-auth.ts";
import type { Company } from "./better-auth-plugins.ts";
import { type Admission, openAdmission } from "./company/company-admission.ts";
import { type Claims, claimAt, hasGroups, isSingleFactor, profileOf } from "./company/profile.ts";
import { discover, type Endpoints, PROVIDER_MS, userInfoOf } from "./company/provider-discovery.ts";
import { once } from "./once.ts";
import { granted } from "./opened-sessions.ts";
import type { Hashing } from "./password-hashing.ts";
import { jsonResponse, libraryRequest } from "./routes/forwarding.ts";
import type { Input } from "./routes/input.ts";
import { faultOf } from "./routes/library-errors.ts";
import type { OfferedRoute } from "./routes/offered-routes.ts";

type CompanyCall = { route: OfferedRoute; input: Input; request: Request; ip: string | null };

type CompanyDeps = IdentityDeps & {
  hashing: Hashing;
  secret: () => Promise<string>;
  session: (headers: Headers) => Promise<Session | null>;
};

export type CompanySignIn = {
  /** Answers both routes of the provider that the route names. */
  perform(call: CompanyCall, providerId: string): Promise<Response>;
  /** Takes the browser that came back to a page, whatever became of its sign-in. */
  land(done: Promise<Response>): Promise<Response>;
};

/** `isSingle`: the provider says that it asked for one factor only. */
type Admitted = Admission & { isSingle: boolean };

/** The provider's token endpoint, its keys and its userinfo are asked one after the other. */
const CALLBACK_MS = 3 * PROVIDER_MS;

export function openCompanySignIn(deps: CompanyDeps): CompanySignIn {
  const { config, origin, log } = deps;
  const admissions = new AsyncLocalStorage<{ admission: Admitted | null }>();
  const admit = openAdmission(deps);
  const settle = settling(deps);
  const libraryOf = new Map(
    config.providers.map((provider) => [provider.id, once(() => openLibrary(deps, provider, companyOf))]),
  );

  const companyOf = (provider: OidcProvider, endpoints: Endpoints): Company => ({
    ...{ provider, endpoints },
    async profileOf({ idToken = "", accessToken = "" }) {
      const claims = await wholeClaims(claimsOf(idToken), { provider, endpoints, accessToken });
      if (claims === null) return null;
      const profile = profileOf(claims, provider);
      const admission = await admit(profile, provider);
      admissions.getStore()!.admission = { ...admission, isSingle: isSingleFactor(claims) };
      const { subject, name } = profile;
      return { id: subject, sub: subject, email: admission.email, emailVerified: true, name };
    },
  });

  async function start(library: BetterAuth, call: CompanyCall, provider: string): Promise<Response> {
    const input = { provider, callbackURL: "/", errorCallbackURL: "/sign-in" } as unknown as Input;
    const route = { ...call.route, path: "sign-in/social" };
    const response = await library.handler(libraryRequest({ ...call, route, input }, origin()));
    const { url, code } = (await response.json()) as { url?: string; code?: string };
    if (url === undefined)
      throw code === "PROVIDER_NOT_FOUND" ? away() : faultOf(response.status, code ?? "");
    return jsonResponse({ url }, response.headers.getSetCookie());
  }

  async function finish(library: BetterAuth, call: CompanyCall): Promise<Response> {
    const signing = { admission: null as Admitted | null };
    const asked = admissions.run(signing, () => library.handler(libraryRequest(call, origin())));
    const response = await withTimeout(CALLBACK_MS, asked, away);
    const error = new URL(response.headers.get("location") ?? "/?error=none", origin()).searchParams.get(
      "error",
    );
    if (error !== null) throw refusalOf(error);
    const cookies = response.headers.getSetCookie();
    await settle(cookies, signing.admission!);
    return redirect(`${origin()}/`, cookies);
  }

  return {
    async perform(call, providerId) {
      const library = await libraryOf.get(providerId)?.();
      if (!library) throw new Refusal("not_found", "This server has no such sign-in provider.");
      return call.route.lands ? finish(library, call) : start(library, call, providerId);
    },
    land: (done) =>
      done.catch((error) => {
        const { code, cause } = toRefusal(error);
        log.warn("company_sign_in_refused", { code, ...(cause === undefined ? {} : { cause }) });
        return redirect(`${origin()}/sign-in?error=${code}`, []);
      }),
  };
}

async function openLibrary(
  deps: CompanyDeps,
  provider: OidcProvider,
  companyOf: (provider: OidcProvider, endpoints: Endpoints) => Company,
): Promise<BetterAuth> {
  try {
    const company = companyOf(provider, await discover(provider));
    const opened = openBetterAuth({ ...deps, secret: await deps.secret() }, company);
    return await withTimeout(PROVIDER_MS, opened);
  } catch (cause) {
    deps.log.warn("sign_in_provider_unavailable", { provider: provider.id, cause });
    throw away(cause);
  }
}

/** Gives the person of a new session their role; without it there is no session. */
function settling(deps: CompanyDeps) {
  const { database, clock, session: sessionOf } = deps;
  const roles = openGroupRoles(database, clock);
  const users = openUsers(database, clock);
  const { session } = database.tables;
  return async (cookies: string[], { given, isSingle }: Admitted): Promise<void> => {
    const made = await sessionOf(
      new Headers({ cookie: cookies.map((each) => each.split(";")[0]).join("; ") }),
    );
    if (!made) throw new Error("The session of a sign-in was not found.");
    const userId = made.user.id;
    try {
      if (given) await roles.apply(userId, given);
      else await users.provision(userId);
      if (isSingle)
        await database.query.update(session).set({ singleFactor: true }).where(eq(session.id, made.id));
      await granted(deps, userId);
    } catch (error) {
      await database.query.delete(session).where(eq(session.id, made.id));
      throw error;
    }
  };
}

type UserInfoDeps = { provider: OidcProvider; endpoints: Endpoints; accessToken: string };

/** With those of the userinfo endpoint where the ID token lacks some; null where that is about another person. */
async function wholeClaims(
  claims: Claims,
  { provider, endpoints, accessToken }: UserInfoDeps,
): Promise<Claims | null> {
  const needed = ["email", "name", ...(hasGroups(provider) ? [provider.groupsClaim] : [])];
  if (needed.every((name) => claimAt(claims, name) !== undefined)) return claims;
  const info = await userInfoOf(endpoints, accessToken);
  if (info === null) return claims;
  return info.sub === claims.sub ? { ...info, ...claims } : null;
}

/** The claims of an ID token that was verified. */
const claimsOf = (idToken: string): Claims =>
  JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());

const away = (cause?: unknown) =>
  new Refusal("service_unavailable", "The sign-in provider cannot be reached. Try again in a moment.", {
    retryAfterSeconds: 5,
    cause,
  });

/** Of a state that is unknown, of another browser, or too old. */
const OUTDATED = /^(state_|please_restart|no_code$|nonce_)/;

/** The library's code of a failed callback, or the provider's. */
function refusalOf(error: string): Refusal {
  if (OUTDATED.test(error)) return faultOf(400, "INVALID_TOKEN");
  if (error === "access_denied") return new Refusal("not_signed_in", "You did not sign in at the provider.");
  return away(new Error(/^[\w ]{1,100}$/.test(error) ? error : "unknown"));
}

function redirect(location: string, cookies: string[]): Response {
  const response = jsonResponse(null, cookies);
  const headers = new Headers(response.headers);
  headers.set("location", location);
  headers.delete("content-type");
  return new Response(null, { status: 302, headers });
}
