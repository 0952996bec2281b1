/** Promise: files of pronunciations are read whole, as pages and spreadsheets write them, or each wrong line is named. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { csvOf } from "../../src/csv.ts";
import { readPronunciationFile } from "../../src/pronunciations/pronunciation-file.ts";
import { checkedEntry } from "../../src/pronunciations/pronunciations.ts";

const read = (text: string) => readPronunciationFile(text, checkedEntry);
const alias = (word: string, reading: string) => ({ word, alias: reading, phonemes: null });
const NGINX = alias("nginx", "engine x");
const GIF = { word: "gif", alias: null, phonemes: "dʒɪf" };

describe("read", () => {
  test.each([
    ["CSV", "word,alias,phonemes\nnginx,engine x,\ngif,,dʒɪf\n"],
    [
      "quoted CSV with a byte order mark",
      '\uFEFF"word","alias","phonemes"\r\n"nginx","engine x",\r\n"gif",,"dʒɪf"\r\n',
    ],
    [
      "semicolons, other columns and empty lines",
      "Phonemes;Note;Word;Alias\n\n;a;nginx;engine x\ndʒɪf;;gif;\n\n",
    ],
    ["tabs", "word\talias\tphonemes\nnginx\tengine x\t\ngif\t\tdʒɪf"],
    ["JSON", JSON.stringify([NGINX, GIF])],
    [
      "JSON of the management API",
      JSON.stringify({ object: "list", data: [{ object: "x", ...NGINX }, GIF] }),
    ],
  ])("%s", (_name, text) => {
    expect(read(text)).toEqual({ entries: [NGINX, GIF], problems: [] });
  });

  test("what an export wrote, also of words that spreadsheets would run", () => {
    const word = fc
      .stringMatching(/^[=+@-]?["',;\t a-zÄ]{0,8}[a-zß]$/)
      .map((text) => text.replaceAll("\t", " "));
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { selector: (text) => text.toLowerCase().replace(/\s+/g, " ").trim() }),
        (words) => {
          const entries = words.map((text) => checkedEntry(alias(text, `=${text}`)));
          if (entries.length === 0) return;
          expect(read(csvOf(entries))).toEqual({ entries, problems: [] });
        },
      ),
    );
  });
});

describe("refused", () => {
  test.each<[string, string, [field: string, message: string][]]>([
    [
      "no header",
      "nginx,engine x",
      [["text", "must begin with a line that names the columns: word, and alias or phonemes"]],
    ],
    ["a list of no words", "{}", [["text", "must be a list of words, or an object with one in data"]]],
    [
      "each wrong line, by its number",
      'word,alias,phonemes\nnginx,"engine\nx",\n!?,a,\ngif,,\ngif,a,b\nok,fine,\n,a,',
      [
        ["line 2", "is wrong: alias contains an invalid character"],
        ["line 4", "is wrong: word must have a letter or a digit"],
        ["line 5", "is wrong: alias or phonemes must be given, and not both"],
        ["line 6", "is wrong: alias or phonemes must be given, and not both"],
        ["line 8", "is wrong: word is missing"],
      ],
    ],
    [
      "a word twice, whatever its capitals",
      "word,alias\nnginx,a\nNGINX,b",
      [["line 3", "is wrong: word is on line 2 already"]],
    ],
    ["JSON of another type", '[{"word":1,"alias":"a"}]', [["entry 1", "is wrong: word must be text"]]],
    [
      "what databases cannot store",
      '[{"word":"a\\u0000","alias":"a"}]',
      [["entry 1", "is wrong: word contains an invalid character"]],
    ],
  ])("%s", (_name, text, wrong) => {
    expect(read(text).problems.map(({ field, message }) => [field, message])).toEqual(wrong as never);
  });

  test("JSON that is not valid", () => {
    expect(read("[{").problems).toMatchObject([
      { field: "text", message: expect.stringMatching(/^is not valid JSON/) },
    ]);
  });

  test("at most 50 lines are named", () => {
    expect(read(`word,alias\n${"!,a\n".repeat(1000)}`).problems).toHaveLength(50);
  });

  test("no text takes long to read", () => {
    const text = `word,alias\n${'"'.repeat(99_999)}\n${'"a,'.repeat(30_000)}`;
    expect(read(text).problems.length).toBeGreaterThan(0);
  });
});
