/** A server whose organization has its free tier and its starting credit, and what tests of money ask of it. */
import { afterEach, beforeEach, expect } from "bun:test";
import { differencesOf } from "../../../src/ledger/verify.ts";
import { openHarness } from "../../harness.ts";
import { until } from "../../until.ts";
import { form } from "./form.ts";

export const STARTING = 5_000_000;
export const CHARACTER = 15;
export const SECOND = 100;

export const good = { model: "svc-tts1", voice: "male-classic", input: "Hello there." };
export const COST = good.input.length * CHARACTER;

export const drain = async (response: Response) => (await response.arrayBuffer()).byteLength;

async function openFree() {
  const harness = await openHarness({ free: true, timeouts: { idleMs: 300, totalMs: 1500 } });
  const { parts, organizationId } = harness;
  const seen = new Set<string>();
  const credit = () => parts.ledger.credit(organizationId);
  return {
    harness,
    credit,
    speak: (fields: object = {}, init: RequestInit = {}) =>
      harness.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({ ...good, ...fields }),
        ...init,
      }),
    transcribe: (file: Uint8Array, fields: [string, string][] = [], init: RequestInit = {}) =>
      harness.ask("/v1/audio/transcriptions", {
        ...form([["model", "svc-stt1"], ...fields, ["file", file]]),
        ...init,
      }),
    /** Micros of the starting credit, and beyond, that are gone. */
    async spent() {
      const { balanceMicros, overdraftMicros } = await credit();
      return STARTING - balanceMicros + overdraftMicros;
    },
    /** The row of the request log that is new since last asked, once there are so many and all have ended. */
    lastRequest(count: number) {
      const ended = (row: { id: string; status: number; firstByteMs: number | null }) =>
        harness.logged.some(
          ({ event, id, status, firstByteMs }) =>
            event === "request" && id === row.id && status === row.status && firstByteMs === row.firstByteMs,
        );
      return until(async () => {
        const rows = await parts.ledger.requests(organizationId, 100);
        if (rows.length < count || !rows.every(ended)) return null;
        const fresh = rows.filter(({ id }) => !seen.has(id));
        for (const { id } of rows) seen.add(id);
        return fresh.at(-1)!;
      });
    },
  };
}

type Free = Awaited<ReturnType<typeof openFree>>;

/** A fresh one for every test of the file, whose books add up at its end. */
export function freeHarness(): Free {
  let free: Free;
  beforeEach(async () => {
    free = await openFree();
  });
  afterEach(async () => {
    expect(differencesOf(await free.harness.parts.ledger.audit())).toEqual([]);
    await free.harness[Symbol.asyncDispose]();
  });
  return {
    get harness() {
      return free.harness;
    },
    credit: () => free.credit(),
    speak: (...args) => free.speak(...args),
    transcribe: (...args) => free.transcribe(...args),
    spent: () => free.spent(),
    lastRequest: (count) => free.lastRequest(count),
  };
}
