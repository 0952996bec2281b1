/**
 * How people come to have an account, and what they get with it: who may sign up, whose the first organization is,
 * which one somebody founded, and who runs this server.
 *
 * What somebody founds has a seat whose id is made of theirs: they found once, however often it is tried.
 */
import { and, asc, eq, gt } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { IdentityConfig } from "../config.ts";
import { type Database, isConflict, type Tables } from "../db/open.ts";
import { Fault } from "../errors.ts";
import { newId } from "../ids.ts";
import { newOrganization } from "./organizations.ts";

type UserRow = Tables["user"]["$inferSelect"];

type NewOperator = { email: string; name: string; passwordHash: string };

export type People = {
  /** Refuses who may not sign up, whether or not they have an account. */
  admit(email: string, policy: Pick<IdentityConfig, "signUp" | "domains">): Promise<void>;
  /**
   * Gives a new user what they sign up for: the very first one this server and its first organization, an invited one
   * nothing yet, anybody else an organization of their own. Idempotent; nothing for who is not there.
   */
  settle(userId: string, organizationName: string | null): Promise<void>;
  /** The organization that somebody founded and still owns, or null. */
  founded(userId: string): Promise<string | null>;
  operators(): Promise<UserRow[]>;
  /** A verified operator who owns the first organization. Whose address was verified keeps their password: `isNew` is false. */
  makeOperator(operator: NewOperator): Promise<{ isNew: boolean }>;
  /** False where nobody of that address is an operator. */
  revokeOperator(email: string): Promise<boolean>;
  /** Ends every session. False where nobody has that address. */
  setPassword(email: string, passwordHash: string): Promise<boolean>;
};

export function openPeople(database: Database, clock: Clock): People {
  return { ...newcomersOf(database, clock), ...operatorsOf(database, clock) };
}

function newcomersOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, member } = tables;
  const isInvited = invitations(database, clock);
  const claimFirst = claims(database, clock);

  return {
    async admit(email: string, { signUp, domains }: Pick<IdentityConfig, "signUp" | "domains">) {
      const address = email.toLowerCase();
      const closed = new Fault("sign_up_closed", "Nobody can sign up here with this address.");
      if (signUp === "closed") throw closed;
      if (await isInvited(address)) return;
      if (signUp === "invited" && (await exists(query.select().from(user).limit(1)))) throw closed;
      const domain = address.slice(address.lastIndexOf("@") + 1);
      if (domains.length > 0 && !domains.includes(domain)) throw closed;
    },
    async settle(userId: string, organizationName: string | null) {
      const [person] = await query.select().from(user).where(eq(user.id, userId));
      if (!person || (await isInvited(person.email))) return;
      if (await exists(query.select().from(member).where(eq(member.userId, userId)).limit(1))) return;
      if (await claimFirst(userId)) return;
      const { owner, home } = newOrganization(organizationName ?? `${person.name}'s organization`, clock);
      const seat = ownerSeat({ id: seatOf(userId), organizationId: owner.id, userId }, clock);
      await unlessTaken(
        database.atomically([
          query.insert(tables.organization).values(owner),
          query.insert(tables.project).values(home),
          query.insert(member).values(seat),
        ]),
      );
    },
    async founded(userId: string) {
      const owned = and(eq(member.userId, userId), eq(member.role, "owner"));
      const seats = await query.select().from(member).where(owned);
      const founding = ({ id, organizationId }: { id: string; organizationId: string }) =>
        [seatOf(userId), seatOf(organizationId)].includes(id);
      return seats.find(founding)?.organizationId ?? null;
    },
  };
}

function invitations({ query, tables: { invitation } }: Database, clock: Clock) {
  return (email: string): Promise<boolean> => {
    const open = and(eq(invitation.status, "pending"), gt(invitation.expiresAt, new Date(clock.now())));
    return exists(
      query
        .select()
        .from(invitation)
        .where(and(eq(invitation.email, email), open))
        .limit(1),
    );
  };
}

/** The first organization and the right to run this server, for who comes first where no operator was made by hand. */
function claims(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { installation, member, user } = tables;
  return async (userId: string): Promise<boolean> => {
    const [installed] = await query.select().from(installation);
    if (!installed) return false;
    const { organizationId } = installed;
    const seats = query.select().from(member).where(eq(member.organizationId, organizationId)).limit(1);
    const operators = query.select().from(user).where(eq(user.operator, true)).limit(1);
    if ((await exists(seats)) || (await exists(operators))) return false;
    return unlessTaken(
      database.atomically([
        // of two who come at once, one has this seat
        query.insert(member).values(ownerSeat({ id: seatOf(organizationId), organizationId, userId }, clock)),
        query.update(user).set({ operator: true }).where(eq(user.id, userId)),
      ]),
    );
  };
}

const exists = async (rows: PromiseLike<unknown[]>): Promise<boolean> => (await rows).length > 0;

function operatorsOf(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, credential, session, member, installation } = tables;
  const byEmail = async (email: string) =>
    (await query.select().from(user).where(eq(user.email, email.toLowerCase())))[0] ?? null;
  const now = () => new Date(clock.now());
  const newCredential = (userId: string, password: string) => ({
    ...{ id: newId("cred", clock), userId, accountId: userId, providerId: "credential", password },
    ...{ createdAt: now(), updatedAt: now() },
  });

  return {
    operators: async () =>
      query.select().from(user).where(eq(user.operator, true)).orderBy(asc(user.createdAt), asc(user.id)),
    async makeOperator({ email, name, passwordHash }: NewOperator) {
      const known = await byEmail(email);
      const userId = known?.id ?? newId("user", clock);
      const { organizationId } = (await query.select().from(installation))[0]!;
      const person = { id: userId, email: email.toLowerCase(), name, emailVerified: true, operator: true };
      const seat = ownerSeat({ id: newId("mem", clock), organizationId, userId }, clock);
      const operating = { emailVerified: true, operator: true };
      const isProven = known?.emailVerified === true; // any other account of that address anybody may have made
      await database.atomically([
        known
          ? query.update(user).set(operating).where(eq(user.id, userId))
          : query.insert(user).values({ ...person, createdAt: now(), updatedAt: now() }),
        ...(isProven
          ? []
          : [
              query.delete(credential).where(eq(credential.userId, userId)),
              query.insert(credential).values(newCredential(userId, passwordHash)),
            ]),
        query
          .insert(member)
          .values(seat)
          .onConflictDoUpdate({ target: [member.organizationId, member.userId], set: { role: "owner" } }),
      ]);
      return { isNew: !isProven };
    },
    async revokeOperator(email: string) {
      const operating = and(eq(user.email, email.toLowerCase()), eq(user.operator, true));
      return (await query.update(user).set({ operator: false }).where(operating).returning()).length > 0;
    },
    async setPassword(email: string, passwordHash: string) {
      const known = await byEmail(email);
      if (!known) return false;
      await database.atomically([
        query.delete(session).where(eq(session.userId, known.id)),
        query.delete(credential).where(eq(credential.userId, known.id)),
        query.insert(credential).values(newCredential(known.id, passwordHash)),
      ]);
      return true;
    },
  };
}

/** `mem_` and what follows the prefix of another id. */
const seatOf = (id: string) => `mem_${id.slice(id.indexOf("_") + 1)}`;

const ownerSeat = (seat: { id: string; organizationId: string; userId: string }, clock: Clock) => ({
  ...seat,
  role: "owner",
  createdAt: new Date(clock.now()),
});

async function unlessTaken(written: Promise<void>): Promise<boolean> {
  try {
    await written;
    return true;
  } catch (error) {
    if (isConflict(error)) return false;
    throw error;
  }
}
