/** An organization with something in every table and in the folders, its rows, and what of its texts is left anywhere. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, isNull } from "drizzle-orm";
import { unixSeconds } from "../../src/clock.ts";
import { newId } from "../../src/ids.ts";
import type { Services } from "../../src/server/services.ts";
import { everyRow } from "../api/management/every-row.ts";
import type { Fixture } from "../api/management/server-fixture.ts";
import { openTenancy, type Tenancy } from "../api/management/tenancy.ts";

export type WholeTenant = Tenancy & { key: string; name: string };

/** `name` stands in every text of it, and in the names of its people. */
export async function openWholeTenant(fixture: Fixture, name: string): Promise<WholeTenant> {
  const { parts, clock } = fixture;
  const tenancy = await openTenancy(fixture, name);
  const { organization, ids, users } = tenancy;
  const { accounts } = parts;
  const made = {
    projectId: ids.project!,
    name: `${name} Made`,
    environment: "live",
    expiresAt: null,
  } as const;
  const { id: keyId, secret: key } = await accounts.createKey({ ...made, scopes: ["catalog:read"] });
  await accounts.mintClientSecret({ keyId, session: { instructions: `${name} session` }, seconds: 600 });
  const voices = { mode: "deny_list" as const, ids: [`${name}-voice`] };
  await accounts.updateProject(ids.project!, { defaultKeyRestrictions: { voices } });
  await users.owner.ask("POST /api/auth/organization/invite-member", {
    ...{ organizationId: organization, email: `${name}-mailed@example.com`.toLowerCase(), role: "member" },
  });
  await parts.ledger.claim({
    ...{ organizationId: organization, id: "digest", fingerprint: "content", holderId: "holder" },
    ...{ kind: "key", isRepetition: false, createdAt: unixSeconds(clock) },
  });
  await openRows(fixture, tenancy, name);
  await storeFile(parts, tenancy, name);
  return { ...tenancy, key, name };
}

/** What no other way of a test leads to. */
async function openRows({ parts, clock }: Fixture, { organization, users, ids }: Tenancy, name: string) {
  const { query, tables } = parts.database;
  const now = unixSeconds(clock);
  await query.insert(tables.event).values({
    ...{ id: newId("evt", clock), type: "voice.created", organizationId: organization },
    ...{ data: JSON.stringify({ name }), createdAt: now },
  });
  await query.insert(tables.auditEvent).values({
    ...{
      id: newId("audit", clock),
      type: "pronunciation.updated",
      organizationId: organization,
      effectiveAt: now,
    },
    ...{
      actorType: "user",
      actorId: users.owner.id,
      actorEmail: users.owner.email,
      address: `address of ${name}`,
    },
    ...{ userAgent: `${name}/1.0`, resourceId: `${name} word`, changes: JSON.stringify([{ field: name }]) },
  });
  await query.insert(tables.upload).values({
    ...{
      id: newId("upload", clock),
      organizationId: organization,
      projectId: ids.project!,
      purpose: "user_data",
    },
    ...{ filename: `${name}.wav`, bytes: 9, createdAt: now, mimeType: "audio/wav", status: "pending" },
    expiresAt: now + 30 * 86_400,
  });
  await query.insert(tables.endUserDay).values({
    ...{ organizationId: organization, day: now - (now % 86_400), endUser: `${name} user`, requests: 1 },
    ...{ errors: 0, characters: 9, audioSeconds: 0, tokens: 0, costMicros: 9 },
  });
  const { session, topUp, webhookEndpoint } = tables;
  await query.update(webhookEndpoint).set({ name: "Server" }).where(isNull(webhookEndpoint.organizationId));
  const isOwner = eq(session.userId, users.owner.id);
  await query.update(session).set({ activeOrganizationId: organization }).where(isOwner);
  const receiptUrl = "https://pay.example/receipt"; // accounts, which name no person
  await query
    .update(topUp)
    .set({ receiptUrl, problem: null, checkoutUrl: `https://pay.example/${name}` })
    .where(eq(topUp.organizationId, organization));
}

async function storeFile({ files }: Services, { organization: organizationId, ids }: Tenancy, name: string) {
  await using incoming = await files.receive(
    { organizationId, projectId: ids.project!, plan: "unmetered", limitOverrides: null },
    0,
  );
  await incoming.write(Buffer.from(`${name} content`));
  await incoming.finish({ purpose: "user_data", filename: `${name}.wav`, keptSeconds: null });
}

/** People outlive their organizations: rows of theirs alone are left out. */
const OF_PEOPLE = /^(user|session|credential|twoFactor) /;

/** Rows, letters and names of files in which a text of the tenant stands. */
export async function leftOf(fixture: Fixture, { name, key }: WholeTenant): Promise<string[]> {
  const texts = new RegExp(`${name}|${key.slice(12)}`, "i");
  const rows = (await everyRow(fixture)).filter((row) => !OF_PEOPLE.test(row));
  return [...rows, ...(await filesOf(fixture))].filter((text) => texts.test(text));
}

/** The path and the content of each file beside the database; one that goes meanwhile is none of them. */
async function filesOf({ parts }: Fixture): Promise<string[]> {
  const { folder } = parts.config.data;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith("loquat.db"))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      try {
        return `${path} ${readFileSync(path, "latin1")}`;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    });
}

/** How many objects the storage of files has. */
export async function storedObjects(fixture: Fixture): Promise<number> {
  return (await filesOf(fixture)).filter((file) => file.includes("/part_")).length;
}

/** The tables that have a row with the id of the organization. */
export async function tablesOf(fixture: Fixture, { organization }: WholeTenant): Promise<string[]> {
  const rows = (await everyRow(fixture)).filter((row) => row.includes(organization));
  return [...new Set(rows.map((row) => row.split(" ")[0]!))].sort();
}

/** Every row that says anything of a tenant, as it is stored. */
export async function rowsOf(fixture: Fixture, { secrets, name }: WholeTenant): Promise<string[]> {
  const texts = new RegExp(name, "i");
  return (await everyRow(fixture)).filter(
    (row) =>
      !row.includes('"type":"credit.') && // raised with the time
      (texts.test(row) || secrets.some((secret) => row.includes(secret))),
  );
}
