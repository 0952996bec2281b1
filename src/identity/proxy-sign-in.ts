/**
 * Signing in by a proxy in front of this server, which names the person in each request. The first one opens a session, so that
 * the CSRF token and the list of sessions are as ever; it is worth something only together with the proxy's header.
 */
import { createHmac } from "node:crypto";
import { eq } from "drizzle-orm";
import { openGroupRoles } from "../accounts/group-roles.ts";
import type { Session } from "../accounts/principal.ts";
import { openUsers } from "../accounts/users.ts";
import type { ProxySignIn } from "../config/config.ts";
import { newId, randomText } from "../ids.ts";
import type { IdentityDeps } from "./better-auth.ts";
import { type Admission, openAdmission } from "./company/company-admission.ts";
import { nameOf } from "./company/profile.ts";
import { endOldest, granted } from "./opened-sessions.ts";
import { cookiesOf, SESSION_COOKIE, sessionCookie } from "./routes/cookies.ts";

/** As a trusted proxy named them; the address has been checked. */
export type ProxyPerson = { email: string; name: string | null; groups: string[] };

type ProxyDeps = IdentityDeps & {
  secret: () => Promise<string>;
  session: (headers: Headers) => Promise<Session | null>;
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Sessions whose groups are known here; the oldest are asked again. */
const SETTLED_MAX = 1000;

export function openProxySignIn(deps: ProxyDeps, { source }: ProxySignIn) {
  const { origin, session: sessionOf } = deps;
  const admit = openAdmission(deps);
  const settle = settling(deps);
  const settled = new Map<string, string>();

  async function admitted({ email, name, groups }: ProxyPerson): Promise<string> {
    const shown = nameOf({ name }) ?? email.split("@")[0]!;
    const profile = { subject: email, email, isVerified: true, name: shown, groups };
    return settle(await admit(profile, source), shown);
  }

  function note(sessionId: string, groups: string): void {
    settled.delete(sessionId);
    settled.set(sessionId, groups);
    if (settled.size > SETTLED_MAX) settled.delete(settled.keys().next().value!);
  }

  return {
    async enter(request: Request, person: ProxyPerson | null): Promise<string | null> {
      const current = await sessionOf(request.headers);
      const isOfProxy = current?.source === source.id;
      if (person === null) {
        if (isOfProxy) leave(request);
        return null;
      }
      const groups = JSON.stringify(person.groups);
      if (isOfProxy && current.user.email === person.email) {
        if (settled.get(current.id) !== groups) await admitted(person);
        note(current.id, groups);
        return null;
      }
      leave(request); // another person's, or one of a password
      const made = await openSession(deps, await admitted(person), source);
      note(made.id, groups);
      const cookies = [...cookiesOf(request.headers), `${SESSION_COOKIE}=${made.cookie}`];
      request.headers.set("cookie", cookies.join("; "));
      return sessionCookie(made.cookie, origin());
    },
  };
}

/** The request goes on without the session that its cookie names. */
function leave(request: Request): void {
  const { headers } = request;
  const others = cookiesOf(headers).filter((each) => !each.startsWith(`${SESSION_COOKIE}=`));
  if (others.length > 0) headers.set("cookie", others.join("; "));
  else headers.delete("cookie");
}

function settling(deps: ProxyDeps) {
  const { database, clock } = deps;
  const { user } = database.tables;
  const roles = openGroupRoles(database, clock);
  const users = openUsers(database, clock);

  async function userFor(email: string, name: string): Promise<string> {
    const now = new Date(clock.now());
    const row = {
      id: newId("user", clock),
      email,
      name,
      emailVerified: true,
      createdAt: now,
      updatedAt: now,
    };
    await database.query.insert(user).values(row).onConflictDoNothing(); // another request of theirs may be first
    const [found] = await database.query.select({ id: user.id }).from(user).where(eq(user.email, email));
    return found!.id;
  }

  /** The id of the user, who has what the groups give. */
  return async ({ given, email, userId }: Admission, name: string): Promise<string> => {
    const id = userId ?? (await userFor(email, name));
    if (given) await roles.apply(id, given);
    else await users.provision(id);
    await granted(deps, id);
    return id;
  };
}

/** As the library makes one: `token.signature` is what the cookie holds. */
async function openSession(
  deps: ProxyDeps,
  userId: string,
  { id: source, sessionMs }: ProxySignIn["source"],
) {
  const { database, clock, secret } = deps;
  const [now, token] = [new Date(clock.now()), randomText(LETTERS, 32)];
  const row = { id: newId("dsess", clock), userId, token, source, createdAt: now, updatedAt: now };
  const expiresAt = new Date(clock.now() + sessionMs);
  await database.query.insert(database.tables.session).values({ ...row, expiresAt });
  await endOldest(deps, userId);
  const signature = createHmac("sha256", await secret())
    .update(token)
    .digest("base64");
  return { id: row.id, cookie: encodeURIComponent(`${token}.${signature}`) };
}
