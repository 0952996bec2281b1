/** English texts of 200 characters each, no two alike, for synthesis; and a text that is hard to normalize. */
import { readFileSync } from "node:fs";

export const SENTENCES = [
  "The harbour lights came on one by one while the last boats turned for home.",
  "Nobody had told the baker that the street would be closed until noon.",
  "She folded the map twice and put it under the lamp to keep it flat.",
  "A narrow path led past the orchard to a gate that no longer closed.",
  "The train was late again, so they walked along the river and talked.",
  "In the evening the wind dropped and the whole valley could hear the bells.",
  "He counted the coins with care and pushed half of them across the table.",
  "Every winter the old bridge loses a stone, and every spring it gets two.",
  "They agreed to meet at the fountain when the market had packed up.",
  "The letter was short, friendly, and entirely without useful information.",
];

const LENGTH = 200;

export function textOf(turn: number): string {
  const rotated = SENTENCES.map((_, index) => SENTENCES[(turn + index * 3) % SENTENCES.length]);
  return `${rotated
    .join(" ")
    .slice(0, LENGTH - 1)
    .trimEnd()}.`;
}

/** Every case of the tests of English, with markdown between them, over and over. */
export function uglyText(length: number): string {
  const table = readFileSync(new URL("../../test/speech/text/english.tsv", import.meta.url), "utf8");
  const cases = table.split("\n").flatMap((line) => (line.includes("\t") ? [line.split("\t")[0]!] : []));
  const lines = cases.map((text, at) => `${["- ", "## ", "> ", "1. ", "", "**a** "][at % 6]}${text}`);
  const text = lines.join(" and\n");
  return text.repeat(Math.ceil(length / text.length)).slice(0, length);
}
