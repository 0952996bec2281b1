/** What is kept about a person, for an archive of their own: without secrets, and nothing of what others did. */
import { and, asc, eq, gt, lte } from "drizzle-orm";
import { secondsOf } from "../clock.ts";
import type { Database } from "../db/database.ts";

/** Each by the name of its file. */
export type PersonRecords = { personRecords(id: string): Record<string, () => AsyncIterable<object[]>> };

/** Events are looked through so many at a time. */
const AT_ONCE = 5000;

export function openPersonRecords(database: Database): PersonRecords {
  const { query, tables } = database;
  const { user, session, credential, member, organization, apiKey, project, invitation } = tables;
  async function* account(id: string) {
    const [found] = await query.select().from(user).where(eq(user.id, id));
    if (!found) return;
    const { name, email, emailVerified, operator, twoFactorEnabled, createdAt, updatedAt } = found;
    yield [
      {
        ...{ id, name, email, email_verified: emailVerified, operator, two_factor: twoFactorEnabled },
        ...{ created_at: secondsOf(createdAt), updated_at: secondsOf(updatedAt) },
      },
    ];
  }
  async function* sessions(id: string) {
    const rows = await query.select().from(session).where(eq(session.userId, id));
    yield rows.map(({ ipAddress: ip_address, userAgent: user_agent, source, createdAt, expiresAt }) => ({
      ...{ created_at: secondsOf(createdAt), expires_at: secondsOf(expiresAt) },
      ...{ provider: source, ip_address, user_agent },
    }));
  }
  async function* signIns(id: string) {
    const rows = await query.select().from(credential).where(eq(credential.userId, id));
    yield rows.map(({ providerId: provider, accountId: account_id, createdAt }) => ({
      ...{ provider, account_id, created_at: secondsOf(createdAt) },
    }));
  }
  async function* memberships(id: string) {
    const rows = await query
      .select({
        role: member.role,
        createdAt: member.createdAt,
        of: organization.id,
        name: organization.name,
      })
      .from(member)
      .innerJoin(organization, eq(organization.id, member.organizationId))
      .where(eq(member.userId, id));
    yield rows.map(({ of: organization_id, name: organization_name, role, createdAt }) => ({
      ...{ organization_id, organization_name, role, created_at: secondsOf(createdAt) },
    }));
  }
  async function* invitations(id: string) {
    const rows = await query
      .select({ of: invitation.organizationId, role: invitation.role, status: invitation.status })
      .from(invitation)
      .innerJoin(user, eq(user.email, invitation.email))
      .where(eq(user.id, id));
    yield rows.map(({ of: organization_id, role, status }) => ({ organization_id, role, status }));
  }
  async function* keys(id: string) {
    const { name, last4, createdAt, lastUsedAt, expiresAt, revokedAt, projectId, createdBy } = apiKey;
    yield query
      .select({
        ...{ id: apiKey.id, organization_id: project.organizationId, project_id: projectId, name, last4 },
        ...{ created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt, revoked_at: revokedAt },
      })
      .from(apiKey)
      .innerJoin(project, eq(project.id, projectId))
      .where(eq(createdBy, id))
      .orderBy(asc(apiKey.id));
  }
  return {
    personRecords: (id) => ({
      account: () => account(id),
      sessions: () => sessions(id),
      "sign-ins": () => signIns(id),
      memberships: () => memberships(id),
      invitations: () => invitations(id),
      keys: () => keys(id),
      "audit-log": () => eventsOf(database, id),
    }),
  };
}

/** What they did, and from where. */
async function* eventsOf(
  { query, tables: { auditEvent } }: Database,
  person: string,
): AsyncGenerator<object[]> {
  const { id, actorId, type, effectiveAt, address, userAgent, organizationId, resourceId, changes } =
    auditEvent;
  for (let after: string | null = ""; after !== null; ) {
    const [last] = await query
      .select({ id })
      .from(auditEvent)
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(1)
      .offset(AT_ONCE - 1);
    const until = last ? lte(id, last.id) : undefined;
    const rows = await query
      .select({ id, type, effectiveAt, address, userAgent, organizationId, resourceId, changes })
      .from(auditEvent)
      .where(and(gt(id, after), until, eq(actorId, person)))
      .orderBy(asc(id));
    yield rows.map((row) => ({
      ...{ id: row.id, type: row.type, effective_at: row.effectiveAt, ip_address: row.address },
      ...{ user_agent: row.userAgent, organization_id: row.organizationId, resource_id: row.resourceId },
      changes: JSON.parse(row.changes),
    }));
    after = last?.id ?? null;
  }
}
