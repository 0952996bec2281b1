/** Promise: speak and normalize read words as the dictionary of a file does, and refuse a file that is none. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openCli } from "./process.ts";

const cli = openCli();
afterAll(() => cli[Symbol.dispose]());

const path = (name: string) => join(cli.folder, name);

test("reads words as the dictionary of a file does, and phonemes as such", async () => {
  const word = (name: string, alias: string | null, phonemes: string | null) => ({
    word: name,
    alias,
    phonemes,
  });
  const data = [word("nginx", "engine x", null), word("gif", null, "dʒɪf")];
  writeFileSync(path("words.json"), JSON.stringify({ object: "list", data }));
  const options = ["--dictionary", path("words.json")];
  const { out, err } = await cli.run(["normalize", "NGINX sends 2 gif files.", ...options]);
  expect({ out, err }).toEqual({ out: "engine x sends two /dʒɪf/ files.\n", err: "" });
});

test.each([
  ["{", "cannot be read as a dictionary"],
  ["null", 'it has no list "data" of words'],
  ['{"data":[{"word":"a","alias":"b"},{"word":"c"}]}', "word 2: alias or phonemes must be given"],
  ['{"data":[{"word":7,"alias":"b"}]}', 'word 1: it needs "word"'],
  [`{"data":[${Array(1001).fill('{"word":"a","alias":"b"}')}]}`, "more than 1000 words"],
])("a dictionary %# that is none is refused with its place", async (content, message) => {
  writeFileSync(path("words.json"), content);
  const { code, err } = await cli.run(["normalize", "Hello.", "--dictionary", path("words.json")]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

test("a word of the dictionary sounds as what it is read as", async () => {
  const data = [{ word: "nginx", alias: "engine x", phonemes: null }];
  writeFileSync(path("words.json"), JSON.stringify({ object: "list", data }));
  const spoken = async (text: string, ...options: string[]) => {
    await cli.run(["speak", text, "-o", path("word.wav"), "--voice", "male-classic", ...options]);
    return Bun.hash(readFileSync(path("word.wav")));
  };
  const expected = await spoken("Start engine x now.");
  expect(await spoken("Start nginx now.", "--dictionary", path("words.json"))).toBe(expected);
  expect(await spoken("Start nginx now.")).not.toBe(expected);
});
