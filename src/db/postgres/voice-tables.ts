/** The PostgreSQL tables of the voices that organizations have made of their own. Times are Unix seconds. */
import { bigint, customType, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { organization } from "./tables.ts";

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

export const voice = pgTable(
  "voice",
  {
    id: text().primaryKey(),
    organizationId: text("organization_id")
      .notNull()
      .references(() => organization.id),
    name: text().notNull(),
    kind: text({ enum: ["recording", "blend"] }).notNull(),
    /** The model that it was made for. */
    model: text().notNull(),
    /** Of a recording: the engine that encoded it first. */
    engine: text(),
    /** Of a blend: the voices and their weights, as requests write them. */
    blend: text(),
    /** Of a recording. */
    durationMs: integer("duration_ms"),
    /** How the speaker has consented. */
    consent: text({ enum: ["statement", "recording"] }),
    createdAt: bigint("created_at", { mode: "number" }).notNull(),
  },
  (table) => [index("voice_by_organization").on(table.organizationId, table.id)],
);

/** What is kept of a voice, encrypted: its recording, the consent, and what each engine has encoded. */
export const voicePart = pgTable(
  "voice_part",
  {
    voiceId: text("voice_id")
      .notNull()
      .references(() => voice.id, { onDelete: "cascade" }),
    part: text().notNull(),
    sealed: bytes().notNull(),
  },
  (table) => [primaryKey({ columns: [table.voiceId, table.part] })],
);
