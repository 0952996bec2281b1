/**
 * Users and how they prove who they are: passwords, sessions, e-mail, invitations.
 *
 *   request -> offered? -> from here? -> how often? -> its fields -> who? -> may they? -> the library -> our envelope
 *
 * The library sees a request that was made anew of what passed: no Host, no forwarded address, no field it was not
 * meant to have.
 */
import { and, eq } from "drizzle-orm";
import { type Database, isConflict } from "../db/open.ts";
import { networkOf, openAttempts } from "../identity/attempts.ts";
import { refuseForeign } from "../identity/foreign.ts";
import { openHashing } from "../identity/hashing.ts";
import {
  answer,
  type Call,
  cookieOf,
  faultOf,
  type Input,
  notSignedIn,
  readInput,
  remade,
  routeOf,
  safely,
  shown,
  slowly,
} from "./identity-routes.ts";
import { type IdentityParts, type LibraryUser, openLibrary, signingSecret } from "./library.ts";
import { openMembers } from "./members.ts";
import { openPeople } from "./people.ts";
import type { Session, User } from "./principal.ts";
import { openVerification } from "./verification.ts";

export type Identity = {
  /** Who is signed in; null for nobody. */
  session(headers: Headers): Promise<Session | null>;
  /** The library's own routes, those of them that are offered. */
  handle(request: Request, ip: string | null): Promise<Response>;
};

export function openIdentity(parts: IdentityParts): Identity {
  const { database, clock, origin } = parts;
  const people = openPeople(database, clock);
  const attempts = openAttempts(database, clock);
  const hashing = openHashing();
  const own = ownRoutes(database);
  const permit = permissions(parts);
  const checkProof = openVerification({ ...parts, hashing });
  const secret = once(() => signingSecret(parts));
  const library = once(async () => openLibrary({ ...parts, hashing, secret: await secret() }));

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
      await people.nameFirst((body as { user: { id: string } }).user.id, input.organizationName ?? null);
    return answer(shown(route.path, body, call.session), response.headers.getSetCookie());
  }

  async function work(call: Call): Promise<Response> {
    const { route, input } = call;
    const email = input.email ?? (route.path === "change-password" ? call.session?.user.email : undefined);
    if (route.limited && email !== undefined) await attempts.count(route.path, email.toLowerCase());
    await permit(call);
    if (route.path === "verify-email") await checkProof(input, await secret());
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
