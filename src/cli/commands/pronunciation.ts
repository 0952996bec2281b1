/** `loquat pronunciation`: how words are read in the speech of an organization. */
import { readFileSync } from "node:fs";
import type { Command } from "@commander-js/extra-typings";
import { Refusal } from "../../errors.ts";
import type { Pronunciations } from "../../pronunciations/pronunciations.ts";
import type { DictionaryEntry } from "../../speech/script/dictionary.ts";
import { ORG_OPTION, organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList, UsageError } from "../base/output.ts";

const COLUMNS: Column<DictionaryEntry>[] = ["word", { title: "READ AS", text: readingOf, cut: true }];

export function pronunciation(command: Command): void {
  command
    .command("list")
    .description("List how words are read; a running server follows edits within seconds")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action(({ org, json }) =>
      withDictionary(org, async (words, id) => printList(await words.list(id), { columns: COLUMNS, json })),
    );
  command
    .command("set")
    .description("Set how a word is read, such as: loquat pronunciation set nginx engine x")
    .argument("<word>", "the word or words, whatever their capitals")
    .argument("<reading...>", "the letters that are read instead, or with --ipa its phonemes")
    .option("--ipa", "the reading is IPA, for voices of Kokoro and Piper")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action((word, reading, { ipa, org, json }) =>
      withDictionary(org, async (words, id) => {
        const text = reading.join(" ");
        const entry = { word, alias: ipa ? null : text, phonemes: ipa ? text : null };
        const saved = await words.put(id, entry);
        if (json) printJson(saved);
        else printLine(`${saved.word} is read as ${readingOf(saved)}.`);
      }),
    );
  command
    .command("import")
    .description("Set all words of a CSV or JSON file, or none where a line is wrong")
    .argument(
      "<file>",
      "CSV with the columns word, alias and phonemes, or what list --json prints; - reads standard input",
    )
    .option("--replace", "remove the words that are not in the file")
    .option(...ORG_OPTION)
    .option(...JSON_OPTION)
    .action((file, { replace = false, org, json }) =>
      withDictionary(org, async (words, id) => {
        const text = readFileSync(file === "-" ? 0 : file, "utf8");
        const done = await words.importFile(id, text, replace).catch((error: unknown) => {
          throw linesOf(error);
        });
        if (json) printJson(done);
        else printLine(`${done.imported} imported, ${done.removed} removed.`);
      }),
    );
  command
    .command("remove")
    .description("Remove a word from the dictionary")
    .argument("<word>", "the word")
    .option(...ORG_OPTION)
    .action((word, { org }) =>
      withDictionary(org, async (words, id) => {
        if (!(await words.remove(id, word)))
          throw new UsageError(`There is no word ${word}. See "loquat pronunciation list".`);
      }),
    );
}

const withDictionary = (
  org: string | undefined,
  work: (words: Pronunciations, organizationId: string) => Promise<void>,
) => withStorage(async (storage) => work(storage.pronunciations, await organizationOf(storage, org)));

/** What is wrong with each line of a file. */
function linesOf(error: unknown): unknown {
  if (!(error instanceof Refusal) || !error.details) return error;
  const lines = error.details.map(({ field, message }) => `${field} ${message}`);
  return new UsageError(`Nothing was imported:\n${lines.join("\n")}`);
}

function readingOf({ alias, phonemes }: DictionaryEntry): string {
  return alias ?? `/${phonemes}/`;
}
