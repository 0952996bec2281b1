/** Promise: the course of a month's spending rises day by day, and goes on at the pace of the last week. */
import { expect, test } from "bun:test";
import { courseOf, usedUpAt } from "../../src/web/billing/month-course.ts";
import { emptySums } from "../../src/web/usage/aggregate.ts";

const DAY = 86_400;
const at = (text: string) => Date.parse(text) / 1000;
const NOVEMBER = { start: at("2026-11-01"), end: at("2026-12-01") };
const costs = (...micros: number[]) => micros.map((cost_micros) => ({ ...emptySums(), cost_micros }));

test("the sums of each month rise from its first day", () => {
  const october = costs(...Array.from({ length: 31 }, () => 2));
  const course = courseOf([...october, ...costs(1, 0, 5)], NOVEMBER, at("2026-11-03T12:00Z"));
  expect(course.before).toEqual(Array.from({ length: 31 }, (_, day) => 2 * (day + 1)));
  expect(course.spent).toEqual([1, 1, 6]);
  expect(course.dayCount).toBe(30);
});

test("the rest of the month is expected to cost as much a day as the last seven, today as far as it has passed", () => {
  const days = costs(...Array.from({ length: 31 }, () => 0), ...Array.from({ length: 10 }, () => 100), 50);
  const now = at("2026-11-11T12:00Z");
  const course = courseOf(days, NOVEMBER, now);
  expect(course.pace).toBe(100);
  expect(course.expected).toBe(1050 + 19.5 * 100);
});

test("on the first of a month nothing has been spent but of the last one", () => {
  const course = courseOf(costs(...Array.from({ length: 31 }, () => 70), 0), NOVEMBER, NOVEMBER.start);
  expect(course.spent).toEqual([0]);
  expect(course.before.at(-1)).toBe(31 * 70);
  expect(course.expected).toBe(30 * 70);
});

test("an amount is used up at that pace, unless that takes years", () => {
  expect(usedUpAt(300, 100, NOVEMBER.start)).toBe(NOVEMBER.start + 3 * DAY);
  expect(usedUpAt(-1, 100, NOVEMBER.start)).toBe(NOVEMBER.start);
  expect(usedUpAt(1_000_000, 1, NOVEMBER.start)).toBeNull();
  expect(usedUpAt(1, 0, NOVEMBER.start)).toBeNull();
});
