/** Promise: refused requests cost nothing, and a flood of them grows neither the sums nor the logs. */
import { expect, test } from "bun:test";
import { COST, drain, freeHarness } from "../api/v1/free.ts";

const free = freeHarness();
const { speak, transcribe, spent, lastRequest } = free;
const DAY = 86_400;

async function countedModels(): Promise<(string | undefined)[]> {
  const { harness } = free;
  const now = Math.floor(harness.clock.now() / 1000);
  const { organizationId } = harness;
  const rows = await harness.parts.ledger.usage({
    organizationId,
    start: now - DAY,
    end: now + DAY,
    bucket: "day",
    groupBy: ["model"],
    filters: {},
  });
  return rows.map(({ groups }) => groups.model).sort();
}

test("only models of the catalogue are in the sums, whatever callers name", async () => {
  await drain(await speak({ model: "nobody", voice: "someone", response_format: "shouted" }));
  await drain(await transcribe(new Uint8Array(9), [["model", "somebody"]]));
  expect((await speak({ voice: "someone" })).status).toBe(404);
  await drain(await speak());
  const rows = await lastRequest(4).then(() =>
    free.harness.parts.ledger.requests(free.harness.organizationId, 10),
  );
  expect(new Set(rows.map(({ model }) => model))).toEqual(new Set([null, "svc-tts1"]));
  expect(new Set(rows.map(({ voice }) => voice))).toEqual(new Set([null, "male-classic"]));
  expect(await countedModels()).toEqual(["", "svc-tts1"]);
  expect(JSON.stringify(free.harness.logged)).not.toContain("nobody");
  expect(await spent()).toBe(COST);
});

test("sixty refusals a minute are logged, and all served requests", async () => {
  const { harness } = free;
  const rows = async () => (await harness.parts.ledger.requests(harness.organizationId, 200)).length;
  const lines = () => harness.logged.filter(({ event }) => event === "request").length;
  for (let sent = 0; sent < 90; sent++) await drain(await speak({ input: "" }));
  await lastRequest(60);
  expect([await rows(), lines()]).toEqual([60, 60]);
  expect(harness.parts.metrics.counters().loquat_unlogged_refusals_total).toBe(30);
  harness.clock.pass(45_000); // within the same minute, and there are points again
  expect((await speak()).status).toBe(200);
  await lastRequest(61);
  harness.clock.pass(60_000);
  await drain(await speak({ input: "" }));
  await lastRequest(62);
  expect([await rows(), lines()]).toEqual([62, 62]);
});
