/** Promise: the log of a live session has its language, and what half of its utterances waited for their final text. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";
import { dial, MANUAL, scriptedLive, silence } from "./live.ts";

setDefaultTimeout(120_000);

async function openTold(waits: number[]) {
  let harness!: Harness;
  const left = [...waits];
  const { live } = scriptedLive(() => {
    harness.clock.pass(left.shift()!);
    return "word";
  });
  harness = await openHarness({ services: { live } });
  const ended = () =>
    until(async () => {
      const [row] = await harness.parts.ledger.requests(harness.organizationId, 1);
      const isOver = harness.logged.some(({ event }) => event === "request");
      return isOver && row?.audioSeconds === waits.length && row;
    });
  return { harness, ended, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() };
}

test.each([
  [[250], 250],
  [[100, 700, 240], 240],
  [[100, 900], 100],
  [[], null],
] as [number[], number | null][])("waits of %p are a median of %p", async (waits, finalTextMs) => {
  await using told = await openTold(waits);
  const client = await dial(told.harness);
  client.update(MANUAL);
  await client.until("session.updated");
  for (const index of waits.keys()) {
    client.append(silence(1));
    client.commit();
    await client.until("completed", index + 1);
  }
  client.close();
  await client.closed;
  expect(await told.ended()).toMatchObject({ finalTextMs, language: "en" });
});
