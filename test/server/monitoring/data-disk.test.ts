/** Promise: the disk of the data folder is asked at most once a second, and one that does not answer is taken for one with space. */
import { expect, test } from "bun:test";
import { isDiskFull, toRefusal, unavailableOnError } from "../../../src/errors.ts";
import { openLog } from "../../../src/log/log.ts";
import { openDataDisk } from "../../../src/server/monitoring/observations.ts";
import { heldClock } from "../../harness.ts";

const silent = () => openLog("error", () => {});

const LEAST_BYTES = 16 * 1024 * 1024;

test.each([
  [LEAST_BYTES, true],
  [LEAST_BYTES - 1, false],
  [0, false],
  [null, true],
])("%p bytes are enough: %p", (free, expected) => {
  const disk = openDataDisk("/data", { clock: heldClock(), log: silent() }, () => free);
  expect(disk.hasSpace()).toBe(expected);
  const refused = expect(() => disk.requireSpace());
  if (expected) refused.not.toThrow();
  else refused.toThrow("No space is left on the disk of LOQUAT_DATA.");
});

test("an answer holds for a second", () => {
  const clock = heldClock();
  let asked = 0;
  const disk = openDataDisk("/data", { clock, log: silent() }, () => ++asked);
  for (let turn = 0; turn < 10; turn++) disk.hasSpace();
  expect(asked).toBe(1);
  clock.pass(1000);
  disk.hasSpace();
  expect(asked).toBe(2);
});

test("a full disk has a line when it is found full and one when it has space again", () => {
  const events: string[] = [];
  const log = openLog("info", (line) => events.push(JSON.parse(line).event));
  const clock = heldClock();
  let free = LEAST_BYTES;
  const disk = openDataDisk("/data", { clock, log }, () => free);
  for (const bytes of [LEAST_BYTES, 0, 0, LEAST_BYTES, LEAST_BYTES, 5]) {
    free = bytes;
    clock.pass(1000);
    disk.hasSpace();
  }
  expect(events).toEqual(["disk_full", "disk_available", "disk_full"]);
});

const withCode = (code: string) => Object.assign(new Error("It failed."), { code });
test.each([
  ["of a file", withCode("ENOSPC"), true],
  ["of a quota", withCode("EDQUOT"), true],
  ["of SQLite", withCode("SQLITE_FULL"), true],
  ["of PostgreSQL, inside another", new Error("Failed query", { cause: withCode("53100") }), true],
  ["of a thread, which keeps the message", new Error("database or disk is full"), true],
  ["of a lock", withCode("SQLITE_BUSY"), false],
  ["that is text", "ENOSPC", false],
])("a failure %s is named as a full disk or not", async (_name, thrown, expected) => {
  expect(isDiskFull(thrown)).toBe(expected);
  const { code, message } = toRefusal(thrown);
  expect([code === "service_unavailable", message.startsWith("No space is left")]).toEqual([
    expected,
    expected,
  ]);
  const refusal = await unavailableOnError("The ledger", Promise.reject(thrown)).catch(
    (error: Error) => error.message,
  );
  expect(refusal).toStartWith(expected ? "No space is left" : "The ledger cannot be reached");
});
