/** The tables of the voices that organizations have made of their own. Times are Unix seconds. */
import type { Organizations } from "./account-tables.ts";
import type { Kit } from "./kit-sqlite.ts";

export function voiceTables(
  { table, index, primaryKey, text, integer, seconds, bytes }: Kit,
  { organization }: Organizations,
) {
  const voice = table(
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
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [index("voice_by_organization").on(table.organizationId, table.id)],
  );

  /** What is kept of a voice, encrypted: its recording, the consent, and what each engine has encoded. */
  const voicePart = table(
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
  return { voice, voicePart };
}
