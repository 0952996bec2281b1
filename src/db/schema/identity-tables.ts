/**
 * The tables of sign-in: users, sessions, passwords, mailed tokens, members and invitations. The library that owns these
 * rows uses `Date`s; they are stored as Unix seconds.
 */
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

export function userTables({ table, index, text, moment, flag }: Kit) {
  const user = table("user", {
    id: text().primaryKey(),
    name: text().notNull(),
    email: text().notNull().unique(),
    emailVerified: flag("email_verified").notNull(),
    image: text(),
    /** An operator: sees every organization, gives credit, pulls models. */
    operator: flag().notNull().default(false),
    /** What made them one: a sign-in provider, by its groups; null: a person did. */
    operatorSource: text("operator_source"),
    /** Signing in with the password takes a code besides. */
    twoFactorEnabled: flag("two_factor_enabled").notNull().default(false),
    createdAt: moment("created_at").notNull(),
    updatedAt: moment("updated_at").notNull(),
  });

  const session = table(
    "session",
    {
      id: text().primaryKey(),
      userId: text("user_id")
        .notNull()
        .references(() => user.id),
      token: text().notNull().unique(),
      expiresAt: moment("expires_at").notNull(),
      ipAddress: text("ip_address"),
      userAgent: text("user_agent"),
      activeOrganizationId: text("active_organization_id"),
      /** The provider that the user signed in with, whose sessions are not prolonged; null: a password. */
      source: text(),
      /** When the user last gave a code of their second factor; null: never. */
      confirmedAt: moment("confirmed_at"),
      /** The provider says that it asked for one factor only. */
      singleFactor: flag("single_factor").notNull().default(false),
      createdAt: moment("created_at").notNull(),
      updatedAt: moment("updated_at").notNull(),
    },
    (table) => [index("session_by_user").on(table.userId)],
  );
  return { user, session };
}

type Users = ReturnType<typeof userTables>;

export function secretTables({ table, index, text, moment, flag, integer }: Kit, { user }: Users) {
  /** A user's password hash. */
  const credential = table(
    "credential",
    {
      id: text().primaryKey(),
      accountId: text("account_id").notNull(),
      providerId: text("provider_id").notNull(),
      userId: text("user_id")
        .notNull()
        .references(() => user.id),
      password: text(),
      accessToken: text("access_token"),
      refreshToken: text("refresh_token"),
      idToken: text("id_token"),
      accessTokenExpiresAt: moment("access_token_expires_at"),
      refreshTokenExpiresAt: moment("refresh_token_expires_at"),
      scope: text(),
      createdAt: moment("created_at").notNull(),
      updatedAt: moment("updated_at").notNull(),
    },
    (table) => [index("credential_by_user").on(table.userId)],
  );

  const verification = table(
    "verification",
    {
      id: text().primaryKey(),
      identifier: text().notNull(),
      value: text().notNull(),
      expiresAt: moment("expires_at").notNull(),
      createdAt: moment("created_at").notNull(),
      updatedAt: moment("updated_at").notNull(),
    },
    (table) => [index("verification_by_identifier").on(table.identifier)],
  );
  /** What codes of an authenticator app are made of, and codes for when it is lost: both encrypted. */
  const twoFactor = table("two_factor", {
    id: text().primaryKey(),
    userId: text("user_id")
      .notNull()
      .unique()
      .references(() => user.id),
    secret: text().notNull(),
    backupCodes: text("backup_codes").notNull(),
    /** Whether a code was given, so that it counts. */
    verified: flag().notNull(),
    /** The 30 seconds, counted from 1970, of the last code that was taken: none before it is taken again. */
    usedStep: integer("used_step"),
  });
  return { credential, verification, twoFactor };
}

export function memberTables(
  { table, index, uniqueIndex, text, moment }: Kit,
  { organization, user }: Organizations & Users,
) {
  const member = table(
    "member",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      userId: text("user_id")
        .notNull()
        .references(() => user.id),
      role: text().notNull(),
      /** The sign-in provider whose groups gave the role; null: a person did. */
      source: text(),
      createdAt: moment("created_at").notNull(),
    },
    (table) => [
      uniqueIndex("member_once").on(table.organizationId, table.userId),
      index("member_by_user").on(table.userId),
    ],
  );

  const invitation = table(
    "invitation",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      email: text().notNull(),
      role: text(),
      status: text().notNull(),
      expiresAt: moment("expires_at").notNull(),
      inviterId: text("inviter_id")
        .notNull()
        .references(() => user.id),
      createdAt: moment("created_at").notNull(),
    },
    (table) => [
      index("invitation_by_email").on(table.email),
      index("invitation_by_organization").on(table.organizationId),
    ],
  );
  return { member, invitation };
}

export function attemptTables({ table, index, text, integer, seconds }: Kit) {
  /** Counts of attempts, by a hash of their subject. */
  const attempt = table("attempt", {
    key: text().primaryKey(),
    count: integer().notNull(),
    /** The end of the window, in Unix seconds. */
    until: seconds().notNull(),
  });

  /** Mail of accounts that a node of an earlier version is still to send, encrypted. Times are Unix seconds. */
  const mailOutbox = table(
    "mail_outbox",
    {
      id: text().primaryKey(),
      sealed: text().notNull(),
      /** That were begun. */
      attempts: integer().notNull(),
      notBefore: seconds("not_before").notNull(),
      expiresAt: seconds("expires_at").notNull(),
    },
    (table) => [index("mail_outbox_by_time").on(table.notBefore)],
  );
  return { attempt, mailOutbox };
}
