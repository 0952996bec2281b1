/** The SQLite tables of `postgres/voice-tables.ts`. */
import { blob, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { organization } from "./tables.ts";

export const voice = sqliteTable(
  "voice",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    name: text().notNull(),
    kind: text({ enum: ["recording", "blend"] }).notNull(),
    model: text().notNull(),
    engine: text(),
    blend: text(),
    durationMs: integer("duration_ms"),
    consent: text({ enum: ["statement", "recording"] }),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("voice_by_organization").on(table.organizationId, table.id)],
);

export const voicePart = sqliteTable(
  "voice_part",
  {
    voiceId: text("voice_id")
      .notNull()
      .references(() => voice.id, { onDelete: "cascade" }),
    part: text().notNull(),
    sealed: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.voiceId, table.part] })],
);
