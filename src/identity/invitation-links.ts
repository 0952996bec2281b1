/**
 * Invitation links of a server that sends no mail. The link that an administrator passes on has a secret, in its fragment,
 * which takes the place of the mailed link: it creates the account of the invited address, verified, and its membership.
 *
 *   invite ─> secret, kept as a hash ─ passed on by hand ─> name, password, secret ─> account · member · invitation accepted
 *
 * Who has a secret can act as the invited address, also towards other organizations. So links have one only where operators
 * would approve the account: if an operator invites, or an admin of the first organization. It ends with the invitation.
 */
import { timingSafeEqual } from "node:crypto";
import { and, eq, gt, sql } from "drizzle-orm";
import { openMemberships, type Role, reaches } from "../accounts/memberships.ts";
import { hashSecret, newLinkSecret } from "../accounts/secret.ts";
import { credentialOf, openUsers, pendingName } from "../accounts/users.ts";
import { type Clock, secondsOf } from "../clock.ts";
import type { IdentityConfig } from "../config/config.ts";
import { type Database, isConflict, type Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { Hashing } from "./password-hashing.ts";
import type { Input } from "./routes/input.ts";

type InvitationRow = Tables["invitation"]["$inferSelect"];
type LinkDeps = { database: Database; config: IdentityConfig; clock: Clock };

/** What the page of a link shows. `expiresAt`: Unix seconds. */
type Invited = {
  email: string;
  role: string;
  organizationId: string;
  organizationName: string;
  inviterEmail: string;
  expiresAt: number;
  /** The address has an account, which accepts the invitation once its user has signed in. */
  hasAccount: boolean;
};

const identifierOf = (invitationId: string): string => `invitation:${invitationId}`;

const invalidLink = () =>
  new Refusal(
    "invalid_token",
    "This link is invalid, has expired or was used. Ask the person who invited you for another one.",
  );

const accountExists = () =>
  new Refusal("account_exists", "This address has an account. Sign in to answer the invitation.");

/** The secret of the link of an invitation that was just made; null: its link has none. */
export async function newInvitationSecret(
  { database, config, clock }: LinkDeps,
  invitationId: string,
): Promise<string | null> {
  const { query, tables } = database;
  const { invitation, verification } = tables;
  if (config.smtp !== null || config.passwords !== "on") return null;
  if ((await openUsers(database, clock).signUpPolicy(config.signUp)) === "closed") return null;
  const [row] = await query.select().from(invitation).where(eq(invitation.id, invitationId));
  if (!row || !(await mayVouch(database, row))) return null;
  const secret = newLinkSecret();
  const now = new Date(clock.now());
  await query.insert(verification).values({
    ...{ id: newId("mail", clock), identifier: identifierOf(invitationId), expiresAt: row.expiresAt },
    ...{ value: hashSecret(secret).toString("base64url"), createdAt: now, updatedAt: now },
  });
  return secret;
}

/** Whether the inviter may still invite in that role, and verify an address in place of a mail. */
async function mayVouch(database: Database, { inviterId, organizationId, role }: InvitationRow) {
  const { query, tables } = database;
  const { user, installation } = tables;
  const held = await openMemberships(database).roleIn(organizationId, inviterId);
  if (held === null || !reaches(held, role === "owner" ? "owner" : "admin")) return false;
  const [inviter] = await query.select().from(user).where(eq(user.id, inviterId));
  if (inviter?.operator) return true;
  const [first] = await query.select({ id: installation.organizationId }).from(installation);
  return first?.id === organizationId;
}

/** The invitation of a link. Refuses all others alike: unknown, answered, expired, and with a wrong secret. */
function openLinks({ database, clock }: LinkDeps) {
  const { query, tables } = database;
  const { invitation, verification, organization, user } = tables;
  return async ({ invitationId, token }: Input) => {
    const isTheirs = eq(verification.identifier, identifierOf(invitationId!));
    const [kept] = await query.select().from(verification).where(isTheirs);
    const hash = kept ? Buffer.from(kept.value, "base64url") : Buffer.alloc(32);
    if (!timingSafeEqual(hash, hashSecret(token!)) || !kept) throw invalidLink();
    const [found] = await query
      .select({ row: invitation, organizationName: organization.name, inviterEmail: user.email })
      .from(invitation)
      .innerJoin(organization, eq(organization.id, invitation.organizationId))
      .innerJoin(user, eq(user.id, invitation.inviterId))
      .where(isOpen(tables, invitationId!, clock));
    if (!found || !(await mayVouch(database, found.row))) throw invalidLink();
    const [known] = await query.select().from(user).where(eq(user.email, found.row.email));
    return { ...found, known: known ?? null };
  };
}

const isOpen = ({ invitation }: Tables, id: string, clock: Clock) =>
  and(
    eq(invitation.id, id),
    eq(invitation.status, "pending"),
    gt(invitation.expiresAt, new Date(clock.now())),
  );

/** What its page shows of a link, to who has its secret. */
export function openInvitedPage(deps: LinkDeps): (input: Input) => Promise<Invited> {
  const open = openLinks(deps);
  return async (input) => {
    const { row, organizationName, inviterEmail, known } = await open(input);
    const { email, role, organizationId, expiresAt } = row;
    return {
      ...{ email, role: role ?? "member", organizationId, organizationName, inviterEmail },
      ...{ expiresAt: secondsOf(expiresAt), hasAccount: known?.emailVerified === true },
    };
  };
}

/** Creates the account and the membership of a link, and returns what the new member signs in with. */
export function openJoining(deps: LinkDeps & { hashing: Hashing }): (input: Input) => Promise<Input> {
  const { database, config, clock, hashing } = deps;
  const open = openLinks(deps);
  const users = openUsers(database, clock);
  return async (input) => {
    const { row, known } = await open(input); // before hashing, which takes long
    if (known?.emailVerified) throw accountExists();
    await users.assertCanSignUp(row.email, config);
    const password = await hashing.hash(input.password!);
    const account = { userId: known?.id ?? newId("user", clock), isNew: !known, name: input.name!.trim() };
    const isDone = await joined(deps, row, { ...account, password }).catch((error) => {
      if (isConflict(error)) throw accountExists(); // which was made meanwhile
      throw error;
    });
    if (!isDone) throw invalidLink(); // it was used meanwhile
    return { email: row.email, password: input.password! };
  };
}

type Account = { userId: string; isNew: boolean; name: string; password: string };

/** All or nothing, and once. An account that waits for its verification may be anyone's: nothing of it stays. */
function joined(
  { database, clock }: LinkDeps,
  { id, email, organizationId, role }: InvitationRow,
  { userId, isNew, name, password }: Account,
): Promise<boolean> {
  const { query, tables, ifChanged } = database;
  const { invitation, verification, user, credential, member } = tables;
  const now = new Date(clock.now());
  const isVerified = sql`exists (select 1 from ${user} where ${eq(user.email, email)} and ${eq(user.emailVerified, true)})`;
  const accepted = query
    .update(invitation)
    .set({ status: "accepted" })
    .where(and(isOpen(tables, id, clock), sql`not ${isVerified}`));
  const known = { name, emailVerified: true, updatedAt: now };
  return ifChanged(accepted, [
    isNew
      ? query.insert(user).values({ id: userId, email, createdAt: now, ...known })
      : query.update(user).set(known).where(eq(user.id, userId)),
    query.delete(credential).where(eq(credential.userId, userId)),
    query.insert(credential).values(credentialOf({ userId, password }, clock)),
    query.insert(member).values({
      id: newId("mem", clock),
      organizationId,
      userId,
      role: (role ?? "member") as Role,
      createdAt: now,
    }),
    query.delete(verification).where(eq(verification.identifier, identifierOf(id))),
    query.delete(verification).where(eq(verification.identifier, pendingName(userId))),
  ]);
}
