/** Routes of an organization's pronunciation dictionary: how words are read in its speech. */
import Type from "typebox";
import { Flag, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Word = Type.String({ minLength: 1, maxLength: 64 });
const Reading = (maxLength: number) => Type.Optional(nullable(Type.String({ minLength: 1, maxLength })));

/** Characters of a file. */
const FILE_MAX = 200_000;

/** One of `alias` and `phonemes` is null. */
const Pronunciation = Type.Object({
  object: Type.Literal("pronunciation"),
  word: Text,
  /** Letters that are read instead. */
  alias: nullable(Text),
  /** IPA, for voices that read phonemes. */
  phonemes: nullable(Text),
});

export const pronunciationRoutes = {
  "GET /api/organizations/:organization/pronunciations": {
    summary: "List how words are read in the speech of an organization",
    needs: "member",
    reply: Type.Object({ object: Type.Literal("list"), data: Type.Array(Pronunciation) }),
  },
  "PUT /api/organizations/:organization/pronunciations": {
    summary: "Set how a word is read: as other letters, or as IPA",
    needs: "admin",
    body: Type.Object({ word: Word, alias: Reading(200), phonemes: Reading(100) }),
    reply: Pronunciation,
  },
  "POST /api/organizations/:organization/pronunciations/import": {
    summary: "Set all words of a CSV or JSON file, or none where a line is wrong",
    needs: "admin",
    body: Type.Object({
      /** CSV whose first line names the columns word, alias and phonemes, or a JSON list of such objects. */
      text: Type.String({ minLength: 1, maxLength: FILE_MAX }),
      /** Remove the words that are not in the file. */
      replace: Type.Optional(Flag),
    }),
    reply: Type.Object({
      object: Type.Literal("pronunciation.import"),
      imported: Whole,
      removed: Whole,
    }),
  },
  "POST /api/organizations/:organization/pronunciations/remove": {
    summary: "Remove a word from the dictionary",
    needs: "admin",
    body: Type.Object({ word: Word }),
  },
} as const satisfies Routes;
