/**
 * The pronunciation dictionary of each organization: kept in the database, and read for its speech.
 *
 * A dictionary is kept for a few seconds, and after that while the database counts no change, so that a change is in force on
 * this node at once and on others within seconds.
 */
import { created, openAudit } from "../audit/audit-events.ts";
import type { Clock } from "../clock.ts";
import { openLooks } from "../db/change-counts.ts";
import type { Database } from "../db/database.ts";
import { openPronunciationRows } from "../db/queries/pronunciation-rows.ts";
import { invalidInput } from "../errors.ts";
import {
  type Dictionary,
  type DictionaryEntry,
  keyOf,
  openDictionary,
  tokenCount,
} from "../speech/script/dictionary.ts";
import { TransientMap } from "../transient.ts";
import { readPronunciationFile } from "./pronunciation-file.ts";

export const ENTRIES_MAX = 1000;
const TOKENS_MAX = 12;
const KEPT_MS = 5000;
const KEPT_MAX = 1000; // organizations
const IPA = /^[\p{L}\p{M}\p{Sk}\s.|]{1,100}$/u;
const WRITTEN = /[\p{L}\p{N}]/u;

export type Pronunciations = {
  /** In the order of the words. */
  list(organizationId: string): Promise<DictionaryEntry[]>;
  /** Adds a word, or replaces how it is read. Refuses what is no word or no reading, and more than 1,000 words. */
  put(organizationId: string, entry: DictionaryEntry): Promise<DictionaryEntry>;
  /**
   * Adds or replaces all words of a CSV or JSON file, and with `replace` removes all others. Refuses the whole file where one
   * line is wrong, and says what is wrong with each.
   */
  importFile(organizationId: string, text: string, replace: boolean): Promise<Imported>;
  /** False where there is no such word. */
  remove(organizationId: string, word: string): Promise<boolean>;
  /** For speech. */
  dictionaryOf(organizationId: string): Promise<Dictionary>;
};

/** Numbers of words. */
type Imported = { imported: number; removed: number };

/** `changes`: how many were counted before it was read; null where the database does not count. */
type Kept = { dictionary: Promise<Dictionary>; untilMs: number; changes: number | null };

export function openPronunciations(database: Database, clock: Clock): Pronunciations {
  const rows = openPronunciationRows(database);
  const audit = openAudit(database, clock);
  const note = (organizationId: string, word: string, alias: string | null) =>
    audit.note([
      {
        type: "pronunciation.updated",
        organizationId,
        resourceId: word,
        changes: created({ reading: alias }),
      },
    ]);
  const kept = new TransientMap<string, Kept>();
  const lookAtChanges = openLooks(database.changes, "pronunciations", clock);
  const isUnchanged = ({ changes }: Kept) => changes !== null && changes === lookAtChanges()?.count;
  const list = async (organizationId: string) =>
    (await rows.list(organizationId)).map(({ word, alias, phonemes }) => ({ word, alias, phonemes }));
  return {
    list,
    async put(organizationId, entry) {
      const checked = checkedEntry(entry);
      const key = keyOf(checked.word);
      const isFull = (await rows.count(organizationId)) >= ENTRIES_MAX;
      if (isFull && !(await rows.has(organizationId, key)))
        throw wrong("word", "too_long", `is one more than the ${ENTRIES_MAX} words of a dictionary`);
      await rows.put({ organizationId, key, ...checked });
      kept.delete(organizationId);
      await note(organizationId, checked.word, checked.alias ?? checked.phonemes);
      return checked;
    },
    async importFile(organizationId, text, replace) {
      const { entries, problems } = readPronunciationFile(text, checkedEntry);
      if (problems.length > 0) throw invalidInput(problems);
      if (entries.length === 0) throw wrong("text", "required", "has no words");
      const before = await rows.list(organizationId);
      const keys = new Set(entries.map(({ word }) => keyOf(word)));
      const others = before.filter(({ key }) => !keys.has(key));
      if (entries.length + (replace ? 0 : others.length) > ENTRIES_MAX)
        throw wrong("text", "too_long", `leads to more than the ${ENTRIES_MAX} words of a dictionary`);
      const changed = entries.map((entry) => ({ organizationId, key: keyOf(entry.word), ...entry }));
      const removed = replace ? others.map(({ key }) => key) : [];
      const changes = created({ imported: entries.length, removed: removed.length });
      const event = { type: "pronunciation.updated", organizationId, resourceId: organizationId } as const;
      await audit.atomically(rows.changes(organizationId, changed, removed), [{ ...event, changes }]);
      kept.delete(organizationId);
      return { imported: entries.length, removed: removed.length };
    },
    async remove(organizationId, word) {
      const isGone = await rows.delete(organizationId, keyOf(word));
      kept.delete(organizationId);
      if (isGone) await note(organizationId, word, null);
      return isGone;
    },
    dictionaryOf(organizationId) {
      const known = kept.get(organizationId);
      if (known && (known.untilMs > clock.now() || isUnchanged(known))) return known.dictionary;
      const changes = lookAtChanges()?.count ?? null;
      const dictionary = list(organizationId).then(openDictionary);
      kept.delete(organizationId);
      kept.set(organizationId, { dictionary, untilMs: clock.now() + KEPT_MS, changes });
      dictionary.catch(() => kept.delete(organizationId));
      if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value!);
      return dictionary;
    },
  };
}

const wrong = (field: string, code: "malformed" | "too_long" | "required", message: string) =>
  invalidInput([{ field, code, message }]);

/** As it is kept; refuses what is no word or no reading. Lengths are those of the schema. */
export function checkedEntry({ word, alias, phonemes }: DictionaryEntry): DictionaryEntry {
  const plain = word.normalize("NFC").replace(/\s+/g, " ").trim();
  if (plain.length > 64) throw wrong("word", "too_long", "must have at most 64 characters");
  if (!WRITTEN.test(plain)) throw wrong("word", "malformed", "must have a letter or a digit");
  if (tokenCount(plain) > TOKENS_MAX)
    throw wrong("word", "too_long", `must have at most ${TOKENS_MAX} words and signs`);
  if ((alias === null) === (phonemes === null))
    throw wrong("alias", "required", "or phonemes must be given, and not both");
  if (alias !== null && (alias.length > 200 || !WRITTEN.test(alias)))
    throw wrong("alias", "malformed", "must be 1 to 200 characters with a letter or a digit");
  if (phonemes !== null && !IPA.test(phonemes.trim()))
    throw wrong("phonemes", "malformed", "must be 1 to 100 letters of IPA");
  return { word: plain, alias: alias?.trim() ?? null, phonemes: phonemes?.trim() ?? null };
}
