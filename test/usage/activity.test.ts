/** Promise: the last hour is counted by minute: outcomes, waits and live sessions; what is older is gone. */
import { expect, test } from "bun:test";
import { openActivity } from "../../src/usage/activity.ts";
import { figuresOf } from "../../src/usage/minute.ts";
import { heldClock } from "../harness.ts";

const MINUTE_MS = 60_000;
const START = 1_800_000_000; // a whole minute, in Unix seconds
const QUIET = { succeeded: 0, refused: 0, failed: 0, p50Ms: null, p95Ms: null, sessions: 0 };

test("requests are counted by outcome in the minute in which they end, with their waits", () => {
  const clock = heldClock(START * 1000);
  const activity = openActivity(clock);
  for (const firstByteMs of [40, 10, 30, 20]) activity.ended({ status: 200, firstByteMs, isSession: false });
  activity.ended({ status: 429, firstByteMs: null, isSession: false });
  activity.ended({ status: 503, firstByteMs: null, isSession: false });
  clock.pass(2 * MINUTE_MS);
  activity.ended({ status: 200, firstByteMs: 5, isSession: false });
  const minutes = figuresOf(activity.minutes());
  expect(minutes).toHaveLength(60);
  expect(minutes.slice(-3)).toEqual([
    { start: START, ...QUIET, succeeded: 4, refused: 1, failed: 1, p50Ms: 20, p95Ms: 40 },
    { start: START + 60, ...QUIET },
    { start: START + 120, ...QUIET, succeeded: 1, p50Ms: 5, p95Ms: 5 },
  ]);
  expect(minutes[0]).toEqual({ start: START - 57 * 60, ...QUIET });
});

test("a live session counts in every minute that it lasts", () => {
  const clock = heldClock(START * 1000);
  const activity = openActivity(clock);
  activity.sessionBegan();
  activity.sessionBegan();
  activity.ended({ status: 101, firstByteMs: null, isSession: true });
  clock.pass(3 * MINUTE_MS);
  activity.ended({ status: 101, firstByteMs: null, isSession: true });
  clock.pass(MINUTE_MS);
  expect(
    activity
      .minutes()
      .map(({ sessions }) => sessions)
      .slice(-5),
  ).toEqual([2, 1, 1, 1, 0]);
});

test("after an hour nothing is left, and a busy minute keeps its newest waits", () => {
  const clock = heldClock(START * 1000);
  const activity = openActivity(clock);
  for (let index = 0; index < 600; index++)
    activity.ended({ status: 200, firstByteMs: 1000, isSession: false });
  for (let index = 0; index < 600; index++)
    activity.ended({ status: 200, firstByteMs: 10, isSession: false });
  expect(figuresOf(activity.minutes()).at(-1)).toMatchObject({ succeeded: 1200, p50Ms: 10, p95Ms: 10 });
  clock.pass(60 * MINUTE_MS);
  expect(activity.minutes().every(({ succeeded }) => succeeded === 0)).toBe(true);
});
