/** Promise: whatever the servers of an upstream do, each request is charged for what was delivered of it, and no more. */
import { expect, test } from "bun:test";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { openHarness } from "../../harness.ts";
import { randomOf } from "../../ledger/simulation/workload.ts";
import { until } from "../../until.ts";
import { ask, openFaulty, type Received, TIMEOUTS } from "../../upstreams/faulty.ts";

const REQUESTS = 300;
const WHOLE = REQUESTS / 4; // while all servers are paused, each request is refused at once
const CALLERS = 12;
const PRICE = 20; // micros a character

test("a request to a faulty upstream costs what was delivered of it", async () => {
  await using harness = await openHarness();
  const random = randomOf(18);
  const servers = Array.from({ length: 3 }, () =>
    openFaulty({ share: 0.1, random: () => random.below(1e6) / 1e6 }),
  );
  const voice = { id: "acme-voice", speaker: "voice", name: "Acme", languages: ["en"] };
  await harness.parts.upstreamAdmin.put({
    ...{
      name: "faulty",
      preset: "openai",
      credential: null,
      added: "2026-11-23",
      urls: servers.map(({ url }) => url),
    },
    flags: { timeouts: TIMEOUTS },
    models: [
      {
        ...{ type: "tts", model: "acme-tts", upstream_model: "acme", voices: [voice] },
        price_micros: PRICE * 1_000_000,
      },
    ],
  });
  const answers: Received[] = [];
  const ended = (is: (answer: Received) => boolean) => answers.filter(is).length;
  let next = 0;
  const caller = async () => {
    while (next < REQUESTS || ended(({ isWhole }) => isWhole) < WHOLE)
      answers.push(await ask(harness, next++));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  for (const server of servers) server[Symbol.dispose]();

  const { ledger } = harness.parts;
  for (const { id, status, characters, isWhole } of answers) {
    const isEnded = (row: { status: number } | null) => row !== null && (isWhole || row.status >= 500);
    await until(async () => isEnded(await ledger.request(harness.organizationId, id)));
    await ledger.setMonthlyLimit("org_other", null); // with the refunds that wait
    const { costMicros, payment } = (await ledger.request(harness.organizationId, id))!;
    expect({ id, status, cost: costMicros, charged: payment.quantity }).toEqual({
      ...{ id, status, cost: characters * PRICE, charged: characters },
    });
  }
  expect(ended(({ status, isWhole }) => status === 200 && !isWhole)).toBeGreaterThan(0);
  expect(differencesOf(await ledger.audit())).toEqual([]);
}, 120_000);
