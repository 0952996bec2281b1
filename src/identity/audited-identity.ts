/**
 * The audit log of signing in and of invitations, whose rows the identity library writes: noted right after them, for each
 * organization of the person. Changes of members are written with their own rows.
 */
import { eq } from "drizzle-orm";
import { openMemberships } from "../accounts/memberships.ts";
import type { Session, User } from "../accounts/principal.ts";
import { type Actor, actingAs } from "../audit/actor.ts";
import { type AuditEvent, created, openAudit } from "../audit/audit-events.ts";
import type { AuditType } from "../audit-types.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { openChallenges } from "./challenge.ts";
import type { Identity } from "./identity.ts";
import { SESSION_COOKIE } from "./routes/cookies.ts";
import { PREFIX } from "./routes/offered-routes.ts";

type Deps = { database: Database; clock: Clock };
type Person = Pick<User, "id" | "email">;
type Fields = Record<string, unknown>;

/** What a call was and what came of it; `before`: the session that it came with. */
type Answered = { input: Fields; reply: Fields; person: Person | null; before: Session | null };

/** @public held to the offered routes by a test */
export const NOTED_SIGN_IN = [
  ...(["sign-in/email", "verify-email", "set-up", "sign-out", "change-password", "update-user"] as const),
  "join" as const,
  ...(["organization/invite-member", "organization/accept-invitation"] as const),
  ...(["organization/reject-invitation", "organization/cancel-invitation"] as const),
  ...(["two-factor/verify-totp", "two-factor/verify-backup-code"] as const),
  ...(["two-factor/generate-backup-codes", "two-factor/disable"] as const),
];
type SignIn = (typeof NOTED_SIGN_IN)[number];

const CODES = ["two-factor/verify-totp", "two-factor/verify-backup-code"];

const isNoted = (path: string): path is SignIn => NOTED_SIGN_IN.includes(path as SignIn);

export function auditedIdentity(identity: Identity, deps: Deps): Identity {
  const { note } = openAudit(deps.database, deps.clock);
  const { personWith, everywhere } = lookUps(deps);
  const challenged = openChallenges(deps.database);
  const noted = eventsOf(deps);

  /** Only of people who exist: others belong to no organization. */
  async function failed(person: Person | null, error: Refusal, by: (person: Person) => Actor): Promise<void> {
    const events = await everywhere(person, {
      type: "login.failed",
      changes: created({ error_code: error.code }),
    });
    if (person) await actingAs(by(person), () => note(events));
  }

  /** A provider sent a person back, who has a session now, or not. */
  async function landed(response: Response, by: (person: Person) => Actor): Promise<void> {
    const cookie = response.headers.getSetCookie().find((each) => each.startsWith(`${SESSION_COOKIE}=`));
    if (cookie !== undefined) await opened(cookie, by);
  }

  async function opened(cookie: string, by: (person: Person) => Actor): Promise<void> {
    const session = await identity.session(new Headers({ cookie: cookie.split(";")[0]! })).catch(() => null);
    const events = await everywhere(session?.user ?? null, { type: "login.succeeded" });
    if (session) await actingAs(by(session.user), () => note(events));
  }

  return {
    ...identity,
    async enter(request, person, ip) {
      const cookie = await identity.enter(request, person, ip);
      if (cookie !== null) await opened(cookie, actorsOf(request, ip));
      return cookie;
    },
    async handle(request, ip, readBody = async (unread) => unread) {
      const path = new URL(request.url).pathname.slice(PREFIX.length);
      if (request.method === "GET" && !path.startsWith("callback/"))
        return identity.handle(request, ip, readBody);
      const by = actorsOf(request, ip);
      const before = await identity.session(request.headers).catch(() => null);
      const session = before?.user ?? null;
      let input: Fields = {};
      const keeping = async (unread: Request) => {
        const read = await readBody(unread);
        input = fieldsOf(await read.clone().text());
        return read;
      };
      const handled = () => identity.handle(request, ip, keeping);
      try {
        const response = await (session ? actingAs(by(session), handled) : handled());
        if (path.startsWith("callback/")) await landed(response, by);
        if (!isNoted(path) || !response.ok) return response;
        const reply = fieldsOf(await response.clone().text());
        const person = path === "join" ? personOf(reply) : (session ?? personOf(reply));
        const events = await noted[path]({ input, reply, person, before });
        if (person) await actingAs(by(person), () => note(events));
        return response;
      } catch (error) {
        if (error instanceof Refusal) {
          if (path === "sign-in/email") await failed(await personWith(String(input.email)), error, by);
          if (CODES.includes(path) && error.code === "invalid_credentials")
            await failed(session ?? (await challenged(request.headers)), error, by);
        }
        throw error;
      }
    },
  };
}

const actorsOf =
  ({ headers }: Request, ip: string | null) =>
  ({ id, email }: Person): Actor => ({
    ...{ type: "user", id, email, address: ip },
    userAgent: headers.get("user-agent")?.slice(0, 256) ?? null,
  });

/** By path: the events of a call that succeeded. */
function eventsOf(deps: Deps): Record<SignIn, (answered: Answered) => Promise<AuditEvent[]>> {
  const { everywhere, invitationOf } = lookUps(deps);
  async function ended({ invitationId }: Fields): Promise<AuditEvent[]> {
    const invited = await invitationOf(invitationId);
    return invited ? [event("invite.deleted", invited.organizationId, invited.id)] : [];
  }
  async function accepted({ input, person }: Answered): Promise<AuditEvent[]> {
    const invited = await invitationOf(input.invitationId);
    if (!invited || !person) return [];
    const { organizationId, id, role } = invited;
    const added = event("user.added", organizationId, person.id, created({ role }));
    const data = { id: person.id, role: String(role) };
    return [
      event("invite.accepted", organizationId, id),
      { ...added, raises: { type: "member.added", data } },
    ];
  }
  /** A code completes a sign-in, switches the factor on, or confirms what comes next, which has an event of its own. */
  async function codeGiven({ person, before }: Answered): Promise<AuditEvent[]> {
    if (before === null) return everywhere(person, { type: "login.succeeded" });
    return before.user.twoFactorEnabled ? [] : everywhere(person, { type: "two_factor.enabled" });
  }
  return {
    "two-factor/verify-totp": codeGiven,
    "two-factor/verify-backup-code": codeGiven,
    "two-factor/generate-backup-codes": ({ person }) =>
      everywhere(person, { type: "two_factor.codes_created" }),
    "two-factor/disable": ({ person }) => everywhere(person, { type: "two_factor.disabled" }),
    "sign-in/email": ({ person }) => everywhere(person, { type: "login.succeeded" }),
    "verify-email": ({ person }) => everywhere(person, { type: "login.succeeded" }),
    "set-up": ({ person }) => everywhere(person, { type: "login.succeeded" }),
    "sign-out": ({ person }) => everywhere(person, { type: "logout.succeeded" }),
    "change-password": ({ person }) =>
      everywhere(person, {
        type: "user.updated",
        changes: [{ field: "password", before: null, after: null }],
      }),
    "update-user": ({ person, input: { name } }) =>
      everywhere(person, { type: "user.updated", changes: created({ name }) }),
    "organization/invite-member": async ({
      input: { organizationId, email, role },
      reply: { id, secret },
    }) => {
      const vouched = typeof secret === "string" ? { verifies_email: true } : {};
      return [event("invite.sent", String(organizationId), String(id), created({ email, role, ...vouched }))];
    },
    "organization/accept-invitation": accepted,
    join: async (answered) => [
      ...(await accepted(answered)),
      ...(await everywhere(answered.person, { type: "login.succeeded" })),
    ],
    "organization/reject-invitation": ({ input }) => ended(input),
    "organization/cancel-invitation": ({ input }) => ended(input),
  };
}

function lookUps({ database }: Deps) {
  const { query, tables } = database;
  const { user, invitation } = tables;
  const { memberships } = openMemberships(database);
  return {
    async personWith(email: string): Promise<Person | null> {
      const [found] = await query.select().from(user).where(eq(user.email, email.toLowerCase()));
      return found ?? null;
    },
    async everywhere(
      person: Person | null,
      told: Pick<AuditEvent, "type" | "changes">,
    ): Promise<AuditEvent[]> {
      const seats = person ? await memberships(person.id) : [];
      return seats.map(({ organization: { id } }) => event(told.type, id, person!.id, told.changes));
    },
    invitationOf: async (id: unknown) =>
      (
        await query
          .select()
          .from(invitation)
          .where(eq(invitation.id, String(id)))
      )[0] ?? null,
  };
}

function event(
  type: AuditType,
  organizationId: string,
  ...[resourceId, changes = []]: [string, AuditEvent["changes"]?]
): AuditEvent {
  return { type, organizationId, resourceId, changes };
}

function fieldsOf(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
}

function personOf({ user }: Fields): Person | null {
  const { id, email } = (user ?? {}) as Partial<Person>;
  return id !== undefined && email !== undefined ? { id, email } : null;
}
