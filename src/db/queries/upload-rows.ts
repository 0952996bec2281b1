/** Rows of uploads: files that are sent in parts. */
import { and, asc, eq, inArray, lt, lte, ne, type SQLWrapper, sql } from "drizzle-orm";
import type { Database, Tables } from "../database.ts";
import { type FileOwner, type FileRow, storedPart, unusedParts } from "./file-rows.ts";

export type UploadRow = Tables["upload"]["$inferSelect"];

export function openUploadRows(database: Database) {
  const { query, tables, ifChanged } = database;
  const { upload, filePart } = tables;
  const isPending = (id: string) => and(eq(upload.id, id), eq(upload.status, "pending"));
  /** A statement that changes nothing but shows that the upload still takes parts. */
  const stillPending = (id: string): SQLWrapper =>
    query.update(upload).set({ status: "pending" }).where(isPending(id));
  const ended = (id: string, status: "cancelled" | "expired"): Promise<boolean> =>
    ifChanged(query.update(upload).set({ status }).where(isPending(id)), [unusedParts(database, id)]);
  return {
    async add(row: UploadRow): Promise<void> {
      await query.insert(upload).values(row);
    },
    async find({ organizationId, projectId }: FileOwner, id: string): Promise<UploadRow | null> {
      const isOf = and(eq(upload.organizationId, organizationId), eq(upload.projectId, projectId));
      const [row] = await query
        .select()
        .from(upload)
        .where(and(eq(upload.id, id), isOf));
      return row ?? null;
    },
    async pending(organizationId: string): Promise<number> {
      const [row] = await query
        .select({ count: sql<number>`count(*)` })
        .from(upload)
        .where(and(eq(upload.organizationId, organizationId), eq(upload.status, "pending")));
      return Number(row?.count ?? 0);
    },
    /** A part that has been received; false where the upload has ended meanwhile. */
    addPart: (id: string, part: { id: string; bytes: number }): Promise<boolean> =>
      ifChanged(stillPending(id), [storedPart(database, part)]),
    /** Makes a file of the parts, in their order; others are unused. False where the upload has ended already. */
    complete: (id: string, { file, partIds }: { file: FileRow; partIds: string[] }): Promise<boolean> =>
      ifChanged(query.update(upload).set({ status: "completed", fileId: file.id }).where(isPending(id)), [
        query.insert(tables.file).values(file),
        ...partIds.map((partId, position) =>
          query.update(filePart).set({ ownerId: file.id, position }).where(eq(filePart.id, partId)),
        ),
        unusedParts(database, id),
      ]),
    cancel: (id: string) => ended(id, "cancelled"),
    expire: (id: string) => ended(id, "expired"),
    async expired(now: number, max: number): Promise<string[]> {
      const rows = await query
        .select({ id: upload.id })
        .from(upload)
        .where(and(eq(upload.status, "pending"), lte(upload.expiresAt, now)))
        .orderBy(asc(upload.expiresAt))
        .limit(max);
      return rows.map(({ id }) => id);
    },
    /** Deletes rows of uploads that ended and were to expire before then. */
    async forget(before: number, max: number): Promise<void> {
      const old = query
        .select({ id: upload.id })
        .from(upload)
        .where(and(ne(upload.status, "pending"), lt(upload.expiresAt, before)))
        .limit(max);
      await query.delete(upload).where(inArray(upload.id, old));
    },
  };
}
