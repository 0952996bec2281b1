/**
 * Sign-up policy, the organization of a new user, and the server's operators.
 *
 * The membership in a user's own organization has an id derived from the user's: retries never create a second one.
 */
import { and, asc, eq, gt, isNull, ne, or } from "drizzle-orm";
import { type AuditEvent, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import type { IdentityConfig } from "../config/config.ts";
import type { Database, Tables } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import type { SignUp } from "../sign-up-policy.ts";
import { UNVERIFIED_MS } from "./expiry.ts";
import { claimOf, membershipId, ownership, unclaimedOrganization, unlessConflict } from "./first-claim.ts";
import { newOrganization, organizationAdded } from "./organizations.ts";

/** Where the name of a user's organization is kept until their address is verified. */
export const pendingName = (userId: string) => `organization:${userId}`;

type UserRow = Tables["user"]["$inferSelect"];

export type NewOperator = { email: string; name: string; passwordHash: string };

export type Users = {
  /** Who may sign up. `configured` null: as operators chose it. */
  signUpPolicy(configured: SignUp | null): Promise<SignUp>;
  chooseSignUp(policy: SignUp): Promise<void>;
  /** Refuses an address that may not sign up, whether or not it has an account. */
  assertCanSignUp(email: string, policy: Pick<IdentityConfig, "signUp" | "domains">): Promise<void>;
  /** Stores the name for an unverified user's future organization; null deletes it. */
  keepOrganizationName(userId: string, organizationName: string | null): Promise<void>;
  /**
   * Sets up a user whose address was verified: the first one becomes operator and owner of the first organization, an
   * invited one gets nothing yet, and any other their own organization. Idempotent; ignores unknown users.
   */
  provision(userId: string): Promise<void>;
  /** The organization that was set up for the user, if they still own it. */
  ownOrganization(userId: string): Promise<string | null>;
  operators(): Promise<UserRow[]>;
  /** Creates or promotes an operator who owns the first organization. A verified user keeps their password: `isNew` is false. */
  makeOperator(operator: NewOperator): Promise<{ isNew: boolean }>;
  /** False if no operator has that address. */
  revokeOperator(email: string): Promise<boolean>;
  /** Ends every session of the user, and removes their second factor. False if no user has that address. */
  setPassword(email: string, passwordHash: string): Promise<boolean>;
};

export function openUsers(database: Database, clock: Clock): Users {
  return { ...signUps(database, clock), ...operators(database, clock) };
}

function signUps(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, member, verification, installation } = tables;
  const audit = openAudit(database, clock);
  const isInvited = invitations(database, clock);
  async function signUpPolicy(configured: SignUp | null): Promise<SignUp> {
    if (configured !== null) return configured;
    const [stored] = await query.select({ signUp: installation.signUp }).from(installation);
    return stored?.signUp ?? "open";
  }

  return {
    signUpPolicy,
    chooseSignUp: signUpChoice(database, clock),
    async assertCanSignUp(email: string, policy: Pick<IdentityConfig, "signUp" | "domains">) {
      const { domains } = policy;
      const signUp = await signUpPolicy(policy.signUp);
      const address = email.toLowerCase();
      const closed = new Refusal("sign_up_closed", "Sign-up is not open for this address.");
      if (signUp === "closed") throw closed;
      if (await isInvited(address)) return;
      const anyUser = query.select().from(user).where(eq(user.emailVerified, true)).limit(1);
      if (signUp === "invited" && (await exists(anyUser))) throw closed;
      const domain = address.slice(address.lastIndexOf("@") + 1);
      if (domains.length > 0 && !domains.includes(domain)) throw closed;
    },
    async keepOrganizationName(userId: string, organizationName: string | null) {
      await query.delete(verification).where(eq(verification.identifier, pendingName(userId)));
      if (organizationName === null || !(await exists(query.select().from(user).where(eq(user.id, userId)))))
        return;
      const now = new Date(clock.now());
      await query.insert(verification).values({
        ...{ id: newId("mail", clock), identifier: pendingName(userId), value: organizationName },
        ...{ expiresAt: new Date(clock.now() + UNVERIFIED_MS), createdAt: now, updatedAt: now },
      });
    },
    async provision(userId: string) {
      const [account] = await query.select().from(user).where(eq(user.id, userId));
      if (!account || (await isInvited(account.email))) return;
      if (await exists(query.select().from(member).where(eq(member.userId, userId)).limit(1))) return;
      if (await claim(database, userId, clock)) return;
      const isNamed = eq(verification.identifier, pendingName(userId));
      const [named] = await query.select().from(verification).where(isNamed);
      const { owner, home } = newOrganization(
        { name: named?.value ?? `${account.name}'s organization`, plan: "prepaid" },
        clock,
      );
      const membership = ownership({ id: membershipId(userId), organizationId: owner.id, userId }, clock);
      await unlessConflict(
        audit.atomically(
          [
            ...[query.insert(tables.organization).values(owner), query.insert(tables.project).values(home)],
            query.insert(member).values(membership),
            query.delete(verification).where(isNamed),
          ],
          [organizationAdded(owner)],
        ),
      );
    },
    async ownOrganization(userId: string) {
      const owned = and(eq(member.userId, userId), eq(member.role, "owner"));
      const memberships = await query.select().from(member).where(owned);
      const isOwn = ({ id, organizationId }: { id: string; organizationId: string }) =>
        [membershipId(userId), membershipId(organizationId)].includes(id);
      return memberships.find(isOwn)?.organizationId ?? null;
    },
  };
}

function signUpChoice(database: Database, clock: Clock): Users["chooseSignUp"] {
  const { query, tables } = database;
  const { installation } = tables;
  const audit = openAudit(database, clock);
  return async (policy) => {
    const [before] = await query.select({ signUp: installation.signUp }).from(installation);
    const isOther = or(isNull(installation.signUp), ne(installation.signUp, policy));
    const change = query.update(installation).set({ signUp: policy }).where(isOther);
    const changes = [{ field: "policy", before: before?.signUp ?? null, after: policy }];
    const event: AuditEvent = { type: "server.updated", organizationId: null, resourceId: null, changes };
    await audit.ifChanged(change, [], [event]);
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

const exists = async (rows: PromiseLike<unknown[]>): Promise<boolean> => (await rows).length > 0;

function operators(database: Database, clock: Clock) {
  const { query, tables } = database;
  const { user, credential, member, installation } = tables;
  const byEmail = async (email: string) =>
    (await query.select().from(user).where(eq(user.email, email.toLowerCase())))[0] ?? null;
  const now = () => new Date(clock.now());
  const newCredential = (userId: string, password: string) => credentialOf({ userId, password }, clock);

  return {
    operators: async () =>
      query.select().from(user).where(eq(user.operator, true)).orderBy(asc(user.createdAt), asc(user.id)),
    async makeOperator({ email, name, passwordHash }: NewOperator) {
      const existing = await byEmail(email);
      const userId = existing?.id ?? newId("user", clock);
      const { organizationId } = (await query.select().from(installation))[0]!;
      const row = { id: userId, email: email.toLowerCase(), name, emailVerified: true, operator: true };
      const membership = ownership({ id: newId("mem", clock), organizationId, userId }, clock);
      const operating = { emailVerified: true, operator: true, operatorSource: null };
      const isVerified = existing?.emailVerified === true; // an unverified account may be anyone's
      await database.atomically([
        existing
          ? query.update(user).set(operating).where(eq(user.id, userId))
          : query.insert(user).values({ ...row, createdAt: now(), updatedAt: now() }),
        ...(isVerified
          ? []
          : [
              query.delete(credential).where(eq(credential.userId, userId)),
              query.insert(credential).values(newCredential(userId, passwordHash)),
            ]),
        query
          .insert(member)
          .values(membership)
          .onConflictDoUpdate({
            target: [member.organizationId, member.userId],
            set: { role: "owner", source: null },
          }),
      ]);
      return { isNew: !isVerified };
    },
    async revokeOperator(email: string) {
      const operating = and(eq(user.email, email.toLowerCase()), eq(user.operator, true));
      return (
        (await query.update(user).set({ operator: false, operatorSource: null }).where(operating).returning())
          .length > 0
      );
    },
    setPassword: passwordSetting(database, clock),
  };
}

/** A row of who signs in with a password. */
export function credentialOf({ userId, password }: { userId: string; password: string }, clock: Clock) {
  const now = new Date(clock.now());
  return {
    ...{ id: newId("cred", clock), userId, accountId: userId, providerId: "credential", password },
    ...{ createdAt: now, updatedAt: now },
  };
}

function passwordSetting(database: Database, clock: Clock): Users["setPassword"] {
  const { query, tables } = database;
  const { user, credential, session, member, twoFactor } = tables;
  const audit = openAudit(database, clock);
  /** One for each organization of the user. */
  const resets = async (id: string): Promise<AuditEvent[]> =>
    (await query.select().from(member).where(eq(member.userId, id))).map(({ organizationId }) => ({
      ...{ type: "two_factor.reset", organizationId, resourceId: id },
    }));
  return async (email, passwordHash) => {
    const [known] = await query.select().from(user).where(eq(user.email, email.toLowerCase()));
    if (!known) return false;
    const login = credentialOf({ userId: known.id, password: passwordHash }, clock);
    await audit.atomically(
      [
        query.delete(session).where(eq(session.userId, known.id)),
        query.delete(credential).where(eq(credential.userId, known.id)),
        query.insert(credential).values(login),
        query.delete(twoFactor).where(eq(twoFactor.userId, known.id)),
        query.update(user).set({ twoFactorEnabled: false }).where(eq(user.id, known.id)),
      ],
      known.twoFactorEnabled ? await resets(known.id) : [],
    );
    return true;
  };
}

/** Whether the first organization had no verified operator or owner, and the user is both now. */
async function claim(database: Database, userId: string, clock: Clock): Promise<boolean> {
  const organizationId = await unclaimedOrganization(database);
  if (organizationId === null) return false;
  return unlessConflict(database.atomically(claimOf(database, { organizationId, userId }, clock)));
}
