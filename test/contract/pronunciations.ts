/** What dictionaries must do on every database: each organization has its own, bounded, and changes are in force. */
import { describe, expect, test } from "bun:test";
import type { Database } from "../../src/db/database.ts";
import { Refusal } from "../../src/errors.ts";
import { openPronunciations, type Pronunciations } from "../../src/pronunciations/pronunciations.ts";
import { heldClock } from "../harness.ts";
import type { AccountFixture } from "./accounts/fresh-accounts.ts";
import { twoOrganizations } from "./two-organizations.ts";

export function pronunciationContract(store: string, prepare: () => Promise<AccountFixture>) {
  describe(`${store}, pronunciations`, () => {
    const clock = heldClock();
    let database: Database;
    let words: Pronunciations;
    let [mine, theirs] = ["", ""];

    twoOrganizations(prepare, clock, (two) => {
      ({ database, mine, theirs } = two);
      words = openPronunciations(database, clock);
    });

    const alias = (word: string, reading = "x") => ({ word, alias: reading, phonemes: null });
    const refused = async (entry: Parameters<Pronunciations["put"]>[1]) => {
      const error = await words.put(mine, entry).then(
        () => null,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(Refusal);
      return (error as Refusal).param;
    };

    test("each organization has its own words", async () => {
      await words.put(mine, alias("nginx", "engine x"));
      await words.put(theirs, { word: "nginx", alias: null, phonemes: "ŋɪŋks" });
      expect(await words.list(mine)).toEqual([alias("nginx", "engine x")]);
      expect((await words.list(theirs))[0]!.phonemes).toBe("ŋɪŋks");
      expect(await words.remove(mine, "nginx")).toBe(true);
      expect(await words.remove(mine, "nginx")).toBe(false);
      expect(await words.list(theirs)).toHaveLength(1);
    });

    test("capitals and spaces do not make another word", async () => {
      await words.put(mine, alias("New  York", "a"));
      await words.put(mine, alias(" new york ", "b"));
      expect(await words.list(mine)).toEqual([alias("new york", "b")]);
    });

    test("a change is in force here at once, and on other nodes within seconds", async () => {
      const other = openPronunciations(database, clock);
      expect((await words.dictionaryOf(mine)).size).toBe(0);
      expect((await other.dictionaryOf(mine)).size).toBe(0);
      await words.put(mine, alias("one"));
      expect((await words.dictionaryOf(mine)).size).toBe(1);
      clock.pass(5001);
      expect((await other.dictionaryOf(mine)).size).toBe(1);
    });

    test("what is no word, or no reading, is refused", async () => {
      expect(await refused(alias("!?"))).toBe("word");
      expect(await refused(alias("a".repeat(65)))).toBe("word");
      expect(await refused(alias("a-b-c-d-e-f-g"))).toBe("word");
      expect(await refused(alias("a", "..."))).toBe("alias");
      expect(await refused({ word: "a", alias: null, phonemes: null })).toBe("alias");
      expect(await refused({ word: "a", alias: "b", phonemes: "b" })).toBe("alias");
      expect(await refused({ word: "a", alias: null, phonemes: "1;2" })).toBe("phonemes");
      expect(await words.list(mine)).toEqual([]);
    });

    test("a dictionary has at most 1,000 words, of which each may still be changed", async () => {
      for (let number = 0; number < 1000; number++) await words.put(mine, alias(`word${number}`));
      expect(await refused(alias("another"))).toBe("word");
      await words.put(mine, alias("WORD7", "seven"));
      await words.put(theirs, alias("another"));
      expect((await words.list(mine)).length).toBe(1000);
    });
  });
}
