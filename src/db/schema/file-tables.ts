/** The tables of the files of organizations, and of what is sent of them. Their contents lie elsewhere. Times are Unix seconds. */
import { sql } from "drizzle-orm";
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

const ownedBy = ({ text, bigint, seconds }: Kit, { organization }: Organizations) => ({
  organizationId: text("organization_id")
    .notNull()
    .references(() => organization.id),
  projectId: text("project_id").notNull(),
  purpose: text({ enum: ["user_data", "batch", "batch_output"] }).notNull(),
  filename: text().notNull(),
  bytes: bigint().notNull(),
  createdAt: seconds("created_at").notNull(),
});

export function fileTables(kit: Kit, organizations: Organizations) {
  const { table, index, text, integer, bigint, seconds } = kit;
  const owned = () => ownedBy(kit, organizations);
  const file = table(
    "file",
    {
      id: text().primaryKey(),
      ...owned(),
      /** Null: when it is deleted. */
      expiresAt: seconds("expires_at"),
      /** How many jobs that have not ended read it: it is not deleted meanwhile. */
      readers: integer().notNull().default(0),
    },
    (table) => [
      index("file_by_project").on(table.projectId, table.id),
      index("file_expiring").on(table.expiresAt).where(sql`expires_at is not null`),
    ],
  );

  /** A file that is sent in parts. */
  const upload = table(
    "upload",
    {
      id: text().primaryKey(),
      ...owned(),
      mimeType: text("mime_type").notNull(),
      status: text({ enum: ["pending", "completed", "cancelled", "expired"] }).notNull(),
      /** How long the file is kept; null: until it is deleted. */
      keptSeconds: seconds("kept_seconds"),
      /** Once it is completed. */
      fileId: text("file_id"),
      expiresAt: seconds("expires_at").notNull(),
    },
    (table) => [
      index("upload_by_project").on(table.projectId, table.id),
      index("upload_pending").on(table.organizationId, table.expiresAt).where(sql`status = 'pending'`),
    ],
  );

  /** A content that is stored: a file is one or more of them, in their order. */
  const filePart = table(
    "file_part",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id").notNull(),
      /** The file, upload or job that it is of. */
      ownerId: text("owner_id").notNull(),
      /** A file that has it, too, and keeps it when its owner is gone. */
      alsoOf: text("also_of"),
      position: integer().notNull().default(0),
      /** Of one that is being received: what is reserved for it. */
      bytes: bigint().notNull(),
      /** `unused`: its content is to be deleted. */
      state: text({ enum: ["receiving", "stored", "unused"] }).notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [
      index("file_part_by_owner").on(table.ownerId, table.position),
      index("file_part_also_of").on(table.alsoOf).where(sql`also_of is not null`),
      index("file_part_by_organization").on(table.organizationId, table.bytes),
      index("file_part_unfinished").on(table.createdAt).where(sql`state <> 'stored'`),
    ],
  );
  return { file, upload, filePart };
}
