/** Promise: ids sort by creation, and every character of their random part is as likely as the others. */
import { expect, test } from "bun:test";
import { newId, randomText } from "../src/ids.ts";
import { heldClock } from "./harness.ts";

const COUNT = 36_000;
const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Eight standard deviations of how often one of 36 characters is drawn in COUNT draws. */
const SPREAD = 8 * Math.sqrt((COUNT / 36) * (35 / 36));

test("an id is its prefix, 9 characters of the time and 15 random ones, and no two are the same", () => {
  const clock = heldClock();
  const ids = Array.from({ length: COUNT }, () => newId("req", clock));
  expect(new Set(ids).size).toBe(COUNT);
  expect(ids.filter((id) => !/^req_[0-9a-z]{24}$/.test(id))).toEqual([]);
  expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(1);
  clock.pass(1);
  expect(newId("req", clock) > ids.toSorted().at(-1)!).toBe(true);
  for (let place = 13; place < 28; place++) isEven(ids.map((id) => id[place]!));
});

test("a random text is drawn evenly from its alphabet", () => {
  isEven([...randomText(ALPHABET, COUNT)]);
});

function isEven(characters: string[]): void {
  const counts = Map.groupBy(characters, (character) => character);
  expect([...counts.keys()].toSorted().join("")).toBe(ALPHABET);
  for (const { length } of counts.values()) expect(Math.abs(length - COUNT / 36)).toBeLessThan(SPREAD);
}
