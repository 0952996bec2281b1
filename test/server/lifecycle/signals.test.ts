/** Promise: a server that was started with `nohup` survives the end of its terminal. */
import { expect, test } from "bun:test";
import { constants } from "node:os";
import { isIgnored } from "../../../src/server/lifecycle/signals.ts";

const { SIGHUP, SIGTERM } = constants.signals;

test("the mask of ignored signals is read from the status of the process", () => {
  const nohup = "Name:\tbun\nSigBlk:\t0000000000000000\nSigIgn:\t0000000001001001\nSigCgt:\t00000001\n";
  expect(isIgnored(nohup, SIGHUP)).toBe(true);
  expect(isIgnored(nohup, SIGTERM)).toBe(false);
  expect(isIgnored(nohup.replace("1001\n", "1000\n"), SIGHUP)).toBe(false);
  expect(isIgnored("Name:\tbun\n", SIGHUP)).toBe(false);
});
