/** Promise: speech that a node delivers while it makes it reaches the listener in order, and is never begun again elsewhere. */

import { expect, test } from "bun:test";
import { samplesOf } from "../../../src/engine/protocol/synthesis.ts";
import { type Claim, soleClaim } from "../../../src/engine/runner.ts";
import { SPEECH } from "../any-task.ts";
import { join, openFleet } from "./joined.ts";

test("samples that an engine delivers early arrive in order, before the result, and only where they are wanted", async () => {
  using fleet = openFleet();
  const parts = [70_000, 1, 0, 5000].map((length, part) => new Float32Array(length).fill(part));
  await join(fleet, {
    name: "a",
    run: async (_task, _transfer, claim) => {
      if (!claim?.early) return new Float32Array(0) as never;
      for (const part of parts) claim.early(part);
      return Float32Array.of(9) as never;
    },
  });
  const arrived: Float32Array[] = [];
  const streamed: Claim = { ...soleClaim(), urgency: "streaming", early: (samples) => arrived.push(samples) };
  const rest = await fleet.engine("e", null).run(SPEECH, streamed).then(samplesOf);
  expect(arrived.map(({ length }) => length)).toEqual(parts.map(({ length }) => length));
  expect(arrived).toEqual(parts);
  expect(rest).toEqual(Float32Array.of(9));
  expect(await fleet.engine("e", null).run(SPEECH, soleClaim()).then(samplesOf)).toEqual(new Float32Array(0));
});

test("speech that was delivered in part is not begun again on another node", async () => {
  using fleet = openFleet();
  let asked = 0;
  const run = async (_task: object, _transfer: unknown, claim?: Claim) => {
    asked++;
    claim?.early?.(Float32Array.of(1));
    throw new Error("it broke");
  };
  await join(fleet, { name: "a", run });
  await join(fleet, { name: "b", run });
  const arrived: Float32Array[] = [];
  const streamed = { ...soleClaim(), early: (samples: Float32Array) => void arrived.push(samples) };
  await expect(fleet.engine("e", null).run(SPEECH, streamed)).rejects.toThrow();
  expect(asked).toBe(1);
  expect(arrived).toHaveLength(1);
});
