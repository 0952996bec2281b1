/** Promise: a server that fails gets no requests for a while, then one, then slowly as many as before. */
import { expect, test } from "bun:test";
import { UpstreamFailure } from "../../src/upstreams/transport/failure.ts";
import {
  noteFailure,
  noteProbe,
  noteSuccess,
  pick,
  type Server,
  serverAt,
  stateOf,
  waitMs,
} from "../../src/upstreams/transport/server-state.ts";

const PLACES = 10;
const SECOND_MS = 1000;
const START_MS = 1_000_000;

const server = () => serverAt({ key: "a", base: "http://a", host: null });
const faulty = () => new UpstreamFailure("faulty", "it answered 500");

/** How many requests it takes at once. */
function places(one: Server, nowMs: number): number {
  const limits = { inFlightMax: PLACES, gapMs: 0 };
  const trial = { ...one, inFlight: 0 };
  while (pick([trial], { limits, nowMs, avoided: new Set(), random: () => 0 })) trial.inFlight++;
  return trial.inFlight;
}

function failed(one: Server, nowMs: number, count = 5): void {
  for (let made = 0; made < count; made++) noteFailure(one, faulty(), nowMs);
}

test("after five failures in a row it is out, then tried with one request, then used more and more for ten seconds", () => {
  const one = server();
  failed(one, START_MS, 4);
  noteSuccess(one, START_MS); // not in a row
  failed(one, START_MS, 4);
  expect(places(one, START_MS)).toBe(PLACES);
  failed(one, START_MS, 1);
  expect(stateOf(one, START_MS)).toBe("out");
  expect(places(one, START_MS)).toBe(0);
  expect(waitMs([one], START_MS)).toBe(30 * SECOND_MS);
  const backMs = START_MS + 30 * SECOND_MS;
  expect(stateOf(one, backMs)).toBe("trial");
  expect(places(one, backMs)).toBe(1);
  noteSuccess(one, backMs);
  expect(stateOf(one, backMs)).toBe("up");
  const growing = [0, 1, 2, 5, 9, 10, 60].map((seconds) => places(one, backMs + seconds * SECOND_MS));
  expect(growing).toEqual([1, 1, 2, 5, 9, 10, 10]);
});

test("each outage soon after another is longer, up to five minutes, and one long after is short again", () => {
  const one = server();
  let nowMs = START_MS;
  const spans = Array.from({ length: 12 }, () => {
    failed(one, nowMs, 5);
    const span = one.outUntilMs - nowMs;
    nowMs = one.outUntilMs;
    return span / SECOND_MS;
  });
  expect(spans).toEqual([30, 60, 90, 120, 150, 180, 210, 240, 270, 300, 300, 300]);
  nowMs += 301 * SECOND_MS;
  failed(one, nowMs, 1); // on trial, one failure is enough
  expect((one.outUntilMs - nowMs) / SECOND_MS).toBe(30);
});

test("three failed health checks take it out, and the next good one lets it be tried at once", () => {
  const one = server();
  for (const isGood of [false, false, true, false, false]) noteProbe(one, isGood, START_MS);
  expect(stateOf(one, START_MS)).toBe("up");
  noteProbe(one, false, START_MS);
  expect(stateOf(one, START_MS)).toBe("out");
  expect(one.lastFailure).toBe("it does not answer health checks");
  noteProbe(one, true, START_MS + SECOND_MS);
  expect(stateOf(one, START_MS + SECOND_MS)).toBe("trial");
  expect(places(one, START_MS + SECOND_MS)).toBe(1);
});

test("a good health check does not bring back what failed requests have taken out", () => {
  const one = server();
  failed(one, START_MS);
  noteProbe(one, true, START_MS);
  expect(stateOf(one, START_MS)).toBe("out");
});

test("a busy server pauses for as long as it says, and a request that it refuses says nothing about it", () => {
  const one = server();
  noteFailure(one, new UpstreamFailure("busy", "429", { retryAfterMs: 7000 }), START_MS);
  expect(stateOf(one, START_MS + 6999)).toBe("paused");
  expect(stateOf(one, START_MS + 7000)).toBe("up");
  for (let made = 0; made < 20; made++) noteFailure(one, new UpstreamFailure("rejected", "400"), START_MS);
  expect(one.failed).toBe(0);
});
