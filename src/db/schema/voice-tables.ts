/** The tables of the voices that organizations have made of their own, and of their speakers' consents. Times are Unix seconds. */
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
      /** The row that the consent was copied from; it may be deleted. */
      consentId: text("consent_id"),
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

  /** The consent of a speaker, for any number of voices. */
  const voiceConsent = table(
    "voice_consent",
    {
      id: text().primaryKey(),
      organizationId: text("organization_id")
        .notNull()
        .references(() => organization.id),
      name: text().notNull(),
      /** A tag, as it was sent. */
      language: text().notNull(),
      /** The recording, encrypted. */
      sealed: bytes().notNull(),
      createdAt: seconds("created_at").notNull(),
    },
    (table) => [index("voice_consent_by_organization").on(table.organizationId, table.id)],
  );
  return { voice, voicePart, voiceConsent };
}
