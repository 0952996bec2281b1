/**
 * Set-up links: the server prints one at each start until it has an operator. It creates that operator without mail, once.
 *
 * A link is random, kept as a hash and valid for a day. Anyone who can read the server's output may use it, like anyone
 * with a shell on its machine.
 */
import { and, eq, gt, like, lt, type SQLWrapper } from "drizzle-orm";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import { Refusal } from "../errors.ts";
import { newId } from "../ids.ts";
import { claimOf, unclaimedOrganization, unlessConflict } from "./first-claim.ts";
import { hashSecret, newLinkSecret } from "./secret.ts";
import type { NewOperator } from "./users.ts";

const VALID_MS = 86_400_000;
const PREFIX = "set-up:";

export type SetUp = {
  /** The secret of a new link, beside earlier ones; null if the server has an operator. */
  newSetUpSecret(): Promise<string | null>;
  /** Refuses a secret that is unknown or expired, or a server that has an operator. */
  assertSetUpSecret(secret: string): Promise<void>;
  /** Creates the operator, who owns the first organization, and deletes all links. Refuses like `assertSetUpSecret`. */
  setUp(secret: string, operator: NewOperator): Promise<void>;
};

export function openSetUp(database: Database, clock: Clock): SetUp {
  const { query, tables } = database;
  const { verification, user } = tables;

  async function organizationFor(secret: string): Promise<string> {
    const isKnown = eq(verification.identifier, identifierOf(secret));
    const isOpen = and(isKnown, gt(verification.expiresAt, new Date(clock.now())));
    const [link] = await query.select().from(verification).where(isOpen).limit(1);
    const organizationId = link ? await unclaimedOrganization(database) : null;
    if (organizationId === null) throw invalidLink();
    return organizationId;
  }

  return {
    async newSetUpSecret() {
      if ((await unclaimedOrganization(database)) === null) return null;
      const secret = newLinkSecret();
      const now = new Date(clock.now());
      const row = { id: newId("mail", clock), identifier: identifierOf(secret), value: "" };
      const times = { expiresAt: new Date(clock.now() + VALID_MS), createdAt: now, updatedAt: now };
      const expired = and(like(verification.identifier, `${PREFIX}%`), lt(verification.expiresAt, now));
      await database.atomically([
        query.delete(verification).where(expired),
        query.insert(verification).values({ ...row, ...times }),
      ]);
      return secret;
    },
    async assertSetUpSecret(secret) {
      await organizationFor(secret);
    },
    async setUp(secret, operator) {
      const organizationId = await organizationFor(secret);
      const email = operator.email.toLowerCase();
      const [known] = await query.select().from(user).where(eq(user.email, email)); // unverified, so perhaps another person's
      const userId = known?.id ?? newId("user", clock);
      const isDone = await unlessConflict(
        database.atomically([
          ...accountOf(database, { ...operator, email, userId, isNew: known === undefined }, clock),
          ...claimOf(database, { organizationId, userId }, clock),
          query.delete(verification).where(like(verification.identifier, `${PREFIX}%`)),
        ]),
      );
      if (!isDone) throw invalidLink(); // another link, or a mailed one, was first
    },
  };
}

const identifierOf = (secret: string): string => PREFIX + hashSecret(secret).toString("base64url");

type Account = NewOperator & { userId: string; isNew: boolean };

/** The user with this name and password only. */
function accountOf(
  { query, tables }: Database,
  { userId, email, name, passwordHash, isNew }: Account,
  clock: Clock,
): SQLWrapper[] {
  const { user, credential } = tables;
  const now = new Date(clock.now());
  const times = { createdAt: now, updatedAt: now };
  const row = { id: userId, email, name, emailVerified: false, operator: false, ...times };
  const login = { id: newId("cred", clock), userId, accountId: userId, providerId: "credential" };
  return [
    isNew
      ? query.insert(user).values(row)
      : query.update(user).set({ name, updatedAt: now }).where(eq(user.id, userId)),
    query.delete(credential).where(eq(credential.userId, userId)),
    query.insert(credential).values({ ...login, password: passwordHash, ...times }),
  ];
}

const invalidLink = () =>
  new Refusal(
    "invalid_token",
    'This link is invalid, has expired or was used. If the server has no operator yet, "loquat admin link" prints another.',
  );
