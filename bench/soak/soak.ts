/**
 * A server under mixed load for two hours: 200,000 requests, one in fifty broken, and 1,000 live sessions. What it holds at
 * the end is compared with what it held after the first tenth: growth is a leak. BENCH_SOAK_MINUTES shortens it, with
 * as many requests a second.
 *
 *   load │ a tenth │ settle, measure │ nine tenths │ settle, measure │ ledger, slots
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { speak } from "../harness/client.ts";
import type { Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { dial, framesOf, stream } from "../realtime/caller.ts";
import { type Held, moreDescriptors, settled } from "./leftovers.ts";
import { type Recordings, record, send } from "./mix.ts";

const MINUTES = Number(Bun.env.BENCH_SOAK_MINUTES ?? 120);
const REQUESTS_PER_SECOND = 200_000 / (120 * 60);
const SESSIONS_PER_SECOND = 1000 / (120 * 60);
/** Until idle engines have given their memory back. */
const SETTLE_MS = 135_000;
const UNDER_WAY_MAX = 32;
const LIVE_MS = 4000;
const FIRST_TURN = 45; // a short soak, too, has a broken request and a recording

export async function benchSoak(): Promise<Row[]> {
  const { requests, sessions, failed, early, late, isVerified, slotsLeft } = await soak(MINUTES * 60);
  const more = moreDescriptors(early, late);
  if (more.length > 0) process.stdout.write(`  (descriptors more: ${more.join(", ")})\n`);
  return [
    { name: "requests", value: requests, unit: "" },
    { name: "live sessions", value: sessions, unit: "" },
    { name: "requests and sessions with another result than expected", ...none(failed) },
    { name: "memory after a tenth", value: early.memoryMib, unit: "MiB" },
    {
      name: "memory at the end, ratio",
      value: late.memoryMib / early.memoryMib,
      unit: "x",
      target: "at most 1.1",
    },
    { name: "descriptors more", ...none(more.length) },
    { name: "processes more", ...none(late.processes - early.processes) },
    { name: "temporary files left", ...none(late.files) },
    { name: "tasks, sessions and bytes of audio left", ...none(late.underWay) },
    { name: "slots left", ...none(slotsLeft) },
    { name: "ledger adds up", value: isVerified ? 1 : 0, unit: "", target: "at least 1" },
  ];
}

const none = (value: number) => ({ value, unit: "", target: "at most 0" });

type Soaked = {
  requests: number;
  sessions: number;
  /** Requests and sessions with another result than they should have. */
  failed: number;
  early: Held;
  late: Held;
  isVerified: boolean;
  slotsLeft: number;
};

export async function soak(seconds: number): Promise<Soaked> {
  const temporary = mkdtempSync(join(tmpdir(), "loquat-soak-"));
  try {
    await using server = await startServer({ TMPDIR: temporary, LOQUAT_SIGN_UP: "closed" });
    const recordings = await record(server);
    const load = openLoad(server, recordings);
    await load.run(seconds / 10);
    const settleMs = Math.min(SETTLE_MS, seconds * 250);
    const early = await settled(server, { temporary, settleMs });
    await load.run((seconds * 9) / 10);
    const late = await settled(server, { temporary, settleMs });
    const isVerified = await addsUp(server);
    return { ...load.counts, early, late, isVerified, slotsLeft: await slotsLeft(server) };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function openLoad(server: Server, recordings: Recordings) {
  const counts = { requests: 0, sessions: 0, failed: 0 };
  const underWay = new Set<Promise<void>>();
  const begin = (work: Promise<boolean>) => {
    const counted = work
      .catch(() => false)
      .then((isGood) => {
        if (!isGood) counts.failed++;
        underWay.delete(counted);
      });
    underWay.add(counted);
  };
  return {
    counts,
    /** At the given rate, or as fast as the server answers where that is slower. */
    async run(seconds: number): Promise<void> {
      const begunMs = performance.now();
      const [firstRequest, firstSession] = [counts.requests, counts.sessions];
      for (;;) {
        const passed = (performance.now() - begunMs) / 1000;
        if (passed >= seconds) break;
        while (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay);
        if (counts.sessions - firstSession < passed * SESSIONS_PER_SECOND) {
          counts.sessions++;
          begin(converse(server));
        } else if (counts.requests - firstRequest < passed * REQUESTS_PER_SECOND) {
          const turn = counts.requests++;
          begin(send({ target: server, turn: FIRST_TURN + turn, recordings }));
        } else await Bun.sleep(5);
      }
      await Promise.all(underWay);
    },
  };
}

/** A session of a few seconds, without speech; true where the audio was taken and the session ended in order. */
async function converse(server: Server): Promise<boolean> {
  const caller = await dial(server);
  await stream(caller, framesOf(new Uint8Array((LIVE_MS / 1000) * 48_000)));
  caller.send(JSON.stringify({ type: "input_audio_buffer.clear" }));
  await caller.next("cleared");
  caller.close();
  return caller.events.every(({ type }) => type !== "error");
}

async function addsUp(server: Server): Promise<boolean> {
  const { data } = await server.loquat<{ data: unknown[] }>("ledger", "verify");
  return data.length === 0;
}

/** With one slot, one request at a time is admitted unless an earlier one never left its own. */
async function slotsLeft(server: Server): Promise<number> {
  const { data } = await server.loquat<{ data: [{ id: string }] }>("org", "list");
  await server.loquat("org", "set-limits", data[0].id, "--concurrency", "1");
  await Bun.sleep(1100); // a key's limits are read once a second
  const response = await speak(server, { voice: "male-deep", input: "Yes." });
  await response.arrayBuffer();
  return response.status === 200 ? 0 : 1;
}
