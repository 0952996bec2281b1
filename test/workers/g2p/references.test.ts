/** Promise: English has the phonemes that voices of Piper and Kokoro are given by the programs they are used with. */
import { afterAll, expect, test } from "bun:test";
import { hasEspeak, hasMisaki, MISAKI, openReader, unlessEspeak, unlessMisaki } from "./reader.ts";
import { ASKED, compare, KNOWN, REFERENCES, type Reference } from "./references.ts";

const reader = openReader([MISAKI]);
afterAll(() => reader.close());

const unless = unlessEspeak + unlessMisaki;

async function comparedWith(reference: Reference) {
  const compared = [];
  for (const { text, [reference]: there } of REFERENCES) {
    const here = await reader.read({ text, ...ASKED[reference] });
    compared.push(compare(reference, { text, here, there }));
  }
  return compared;
}

test.skipIf(!hasEspeak || !hasMisaki).each(["piper", "kokoro"] as const)(
  `a voice of %s gets the reference's phonemes, and no difference but the listed ones${unless}`,
  async (reference) => {
    const compared = await comparedWith(reference);
    expect(compared.flatMap(({ unlisted }) => unlisted)).toEqual([]);
    expect(compared.reduce((sum, { words }) => sum + words, 0)).toBeGreaterThan(500);
  },
);

test("a word that differs without a listed reason is told", () => {
  const text = "I read Smith here.";
  const there = "ˌI ɹˈɛd smˈɪθ hˈɪɹ.";
  const unlisted = (here: string) => compare("kokoro", { text, here, there }).unlisted;
  expect(unlisted(there.replace("ɹˈɛd", KNOWN.kokoro[0]!.here))).toEqual([]);
  expect(unlisted(there.replace("smˈɪθ", "smˈIθ"))).toEqual([`"${text}": smˈIθ / smˈɪθ`]);
  expect(unlisted(there.replace("hˈɪɹ.", "hˈɪɹ. nˈW"))).toHaveLength(1);
});
