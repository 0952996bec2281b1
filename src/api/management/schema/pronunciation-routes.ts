/** Routes of an organization's pronunciation dictionary: how words are read in its speech. */
import Type from "typebox";
import { nullable, Text } from "./records.ts";
import type { Routes } from "./route.ts";

const Word = Type.String({ minLength: 1, maxLength: 64 });
const Reading = (maxLength: number) => Type.Optional(nullable(Type.String({ minLength: 1, maxLength })));

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
  "POST /api/organizations/:organization/pronunciations/remove": {
    summary: "Remove a word from the dictionary",
    needs: "admin",
    body: Type.Object({ word: Word }),
  },
} as const satisfies Routes;
