/** Rows of files, and of the parts that their contents are stored in. What a transaction leaves unused is deleted after it. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, or, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";

export type FileRow = Tables["file"]["$inferSelect"];
export type FilePartRow = Tables["filePart"]["$inferSelect"];

/** Whose files they are. */
export type FileOwner = { organizationId: string; projectId: string };

export type FilePlace = {
  purpose: FileRow["purpose"] | null;
  after: string | null;
  limit: number;
  order: "asc" | "desc";
};

export function openFileRows(database: Database) {
  const { query, tables, ifChanged } = database;
  const { file } = tables;
  const isOf = ({ organizationId, projectId }: FileOwner) =>
    and(eq(file.organizationId, organizationId), eq(file.projectId, projectId));
  const isKept = (now: number) => or(isNull(file.expiresAt), gt(file.expiresAt, now));
  return {
    ...partsOf(database),
    /** Not those that have expired, here and below. `now` in Unix seconds. */
    async list(
      owner: FileOwner,
      { purpose, after, limit, order }: FilePlace,
      now: number,
    ): Promise<FileRow[]> {
      const isBehind = after === null ? undefined : (order === "asc" ? gt : lt)(file.id, after);
      return query
        .select()
        .from(file)
        .where(
          and(isOf(owner), isKept(now), isBehind, purpose === null ? undefined : eq(file.purpose, purpose)),
        )
        .orderBy((order === "asc" ? asc : desc)(file.id))
        .limit(limit);
    },
    async find(owner: FileOwner, id: string, now: number): Promise<FileRow | null> {
      const [row] = await query
        .select()
        .from(file)
        .where(and(eq(file.id, id), isOf(owner), isKept(now)));
      return row ?? null;
    },
    /** Adds a file whose only part has been received; false where that was given up meanwhile. */
    add: (row: FileRow, part: { id: string; bytes: number }): Promise<boolean> =>
      ifChanged(storedPart(database, part), [query.insert(file).values(row)]),
    /**
     * Adds a file that begins with `head`, and goes on with a part of another owner, which keeps it. False where that is gone, or a
     * file has it already.
     */
    addShared: (row: FileRow, { part, head }: SharedContent): Promise<boolean> =>
      ifChanged(alsoOf(database, row.id, part), [
        query.insert(file).values(row),
        ...(head === null ? [] : [storedPart(database, head)]),
      ]),
    /** False where there is none any more, or a job reads it. */
    remove: (id: string): Promise<boolean> =>
      ifChanged(query.delete(file).where(and(eq(file.id, id), eq(file.readers, 0))), [
        unusedParts(database, id),
      ]),
    /** Not those that jobs read. */
    async expired(now: number, limit: number): Promise<string[]> {
      const rows = await query
        .select({ id: file.id })
        .from(file)
        .where(and(lte(file.expiresAt, now), eq(file.readers, 0)))
        .limit(limit);
      return rows.map(({ id }) => id);
    },
  };
}

/** A stored part of another owner, and what comes before it; null: nothing does. */
type SharedContent = {
  part: { ownerId: string; position: number };
  head: { id: string; bytes: number } | null;
};

const alsoOf = (
  { query, tables: { filePart } }: Database,
  fileId: string,
  { ownerId, position }: SharedContent["part"],
): SQLWrapper =>
  query
    .update(filePart)
    .set({ alsoOf: fileId })
    .where(
      and(
        ...[eq(filePart.ownerId, ownerId), eq(filePart.position, position)],
        ...[eq(filePart.state, "stored"), isNull(filePart.alsoOf)],
      ),
    );

const isHeldBy = (filePart: Tables["filePart"], ownerId: string) =>
  or(eq(filePart.ownerId, ownerId), eq(filePart.alsoOf, ownerId));

function partsOf({ query, tables: { filePart } }: Database) {
  return {
    async addPart(row: FilePartRow): Promise<void> {
      await query.insert(filePart).values(row);
    },
    async reserve(id: string, bytes: number): Promise<void> {
      await query.update(filePart).set({ bytes }).where(eq(filePart.id, id));
    },
    async deleteParts(ids: string[]): Promise<void> {
      if (ids.length > 0) await query.delete(filePart).where(inArray(filePart.id, ids));
    },
    /** What an organization's parts take, also those that are being received. */
    async used(organizationId: string): Promise<{ bytes: number; parts: number }> {
      const [row] = await query
        .select({ bytes: sql<number>`coalesce(sum(${filePart.bytes}), 0)`, parts: sql<number>`count(*)` })
        .from(filePart)
        .where(eq(filePart.organizationId, organizationId));
      return { bytes: Number(row?.bytes ?? 0), parts: Number(row?.parts ?? 0) };
    },
    /** Those that are stored, in their order. */
    parts: (ownerId: string): Promise<FilePartRow[]> =>
      Promise.resolve(
        query
          .select()
          .from(filePart)
          .where(and(isHeldBy(filePart, ownerId), eq(filePart.state, "stored")))
          .orderBy(asc(filePart.position), asc(filePart.id)),
      ),
    async newestPart(): Promise<string | null> {
      const [row] = await query
        .select({ id: filePart.id })
        .from(filePart)
        .where(eq(filePart.state, "stored"))
        .orderBy(desc(filePart.id))
        .limit(1);
      return row?.id ?? null;
    },
    /** Those whose content is to be deleted, and those that were begun before then and never ended. */
    unused: (begunBefore: number, limit: number): Promise<FilePartRow[]> =>
      Promise.resolve(
        query
          .select()
          .from(filePart)
          .where(
            and(
              sql`${filePart.state} <> 'stored'`,
              or(eq(filePart.state, "unused"), lt(filePart.createdAt, begunBefore)),
            ),
          )
          .limit(limit),
      ),
  };
}

/** Statements, here and below: a job begins to read a file that is kept. `now` in Unix seconds. */
export const readBy = (
  { query, tables: { file } }: Database,
  { organizationId, projectId }: FileOwner,
  { id, now }: { id: string; now: number },
): SQLWrapper =>
  query
    .update(file)
    .set({ readers: sql`${file.readers} + 1` })
    .where(
      and(
        ...[eq(file.id, id), eq(file.organizationId, organizationId), eq(file.projectId, projectId)],
        or(isNull(file.expiresAt), gt(file.expiresAt, now)),
      ),
    );

/** A job reads it no longer. */
export const leftBy = ({ query, tables: { file } }: Database, id: string): SQLWrapper =>
  query
    .update(file)
    .set({ readers: sql`${file.readers} - 1` })
    .where(eq(file.id, id));

/** A part that has been received. */
export const storedPart = (
  { query, tables: { filePart } }: Database,
  { id, bytes }: { id: string; bytes: number },
): SQLWrapper =>
  query
    .update(filePart)
    .set({ state: "stored", bytes })
    .where(and(eq(filePart.id, id), eq(filePart.state, "receiving")));

/** Those of an owner that have been received: what another has, too, becomes that one's alone. Of both, the last one ends it. */
export const unusedParts = ({ query, tables: { filePart } }: Database, ownerId: string): SQLWrapper => {
  const { alsoOf, state } = filePart;
  const isOwner = eq(filePart.ownerId, ownerId);
  return query
    .update(filePart)
    .set({
      state: sql`case when ${isOwner} and ${isNull(alsoOf)} then 'unused' else ${state} end`,
      ownerId: sql`case when ${isOwner} then coalesce(${alsoOf}, ${filePart.ownerId}) else ${filePart.ownerId} end`,
      alsoOf: null,
    })
    .where(and(isHeldBy(filePart, ownerId), eq(state, "stored")));
};
