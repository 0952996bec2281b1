/**
 * Live sessions: how many keep up, the delay of a turn's end and of its transcript, and the memory of an idle one.
 *
 * The clients run beside the server on the same cores. Sessions without speech use the detector only; whether one keeps up
 * is measured by the response to a `clear`, which waits for all audio before it.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { speak } from "../harness/client.ts";
import { cpuSeconds, residentKib } from "../harness/process.ts";
import { median, quantile, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { textOf } from "../harness/texts.ts";
import { type Caller, dial, framesOf, stream } from "./caller.ts";

export const WEIGHTS = fileURLToPath(new URL("../../../shared/models", import.meta.url));
const SECONDS = 8;
const LAG_MOST_MS = 250;
const CROWDS = [50, 100, 150, 200, 250, 300, 400, 500];
const SPEAKERS = [1, 2, 4, 6, 8, 12];
const TURNS = 6;
const SILENCE_MS = 500;
const IDLE = 1000;
const SETTLE_MS = 15_000;

const clear = JSON.stringify({ type: "input_audio_buffer.clear" });

export async function benchRealtime(): Promise<Row[]> {
  const rows: Row[] = [];
  if (!existsSync(WEIGHTS)) process.stdout.write("  without the Silero weights: fvad detects\n");
  rows.push(...(await idle()));
  await using server = await startServer({ LOQUAT_WEIGHTS: WEIGHTS });
  const spoken = await Promise.all(Array.from({ length: 12 }, (_, index) => speechOf(server, textOf(index))));
  rows.push(...(await delays(server, spoken)));
  rows.push(...(await speakers(server, spoken)));
  rows.push(...(await crowds(server)));
  return rows;
}

/** 24 kHz pcm of a sentence. */
async function speechOf(server: Server, text: string): Promise<Uint8Array> {
  const fields = { voice: "male-deep", input: text.slice(0, 60), response_format: "pcm" };
  return (await speak(server, fields)).bytes();
}

/** The hiss of a quiet room: no detector takes it for speech, but all of it is analysed. */
function room(seconds: number): Uint8Array {
  const samples = Int16Array.from({ length: seconds * 24_000 }, () => (Math.random() - 0.5) * 60);
  return new Uint8Array(samples.buffer);
}

const open = (server: Server, count: number) =>
  Promise.all(Array.from({ length: count }, () => dial(server)));

/** What is held of a session that is open, and what more once each of some sent a second of audio, after a rest. */
async function idle(): Promise<Row[]> {
  await using server = await startServer({ LOQUAT_WEIGHTS: WEIGHTS });
  const held = async () => {
    await Bun.sleep(SETTLE_MS);
    return residentKib(server.pid);
  };
  const callers = await open(server, 100);
  await Promise.all(callers.map((caller) => stream(caller, framesOf(room(1)))));
  const atFirst = await held();
  callers.push(...(await open(server, IDLE)));
  const opened = await held();
  await Promise.all(callers.slice(-200).map((caller) => stream(caller, framesOf(room(1)))));
  const response = await held();
  for (const caller of callers) caller.close();
  return [
    {
      name: "memory of an idle session",
      value: (opened - atFirst) / IDLE,
      unit: "KiB",
      target: "at most 100",
    },
    { name: "more of it for one that sent a second of audio", value: (response - opened) / 200, unit: "KiB" },
  ];
}

/** From the last loud sample of a turn to what is said of its end. */
async function delays(server: Server, spoken: Uint8Array[]): Promise<Row[]> {
  const stopped: number[] = [];
  const completed: number[] = [];
  const chunkMs = 20;
  for (const pcm of spoken) {
    const caller = await dial(server);
    const loud = loudBytes(pcm);
    await stream(
      caller,
      framesOf(new Uint8Array(Buffer.concat([room(0.5), pcm.subarray(0, loud)])), chunkMs),
      chunkMs,
    );
    const ended = performance.now();
    const outcome = Promise.all([caller.next("speech_stopped"), caller.next(".completed")]);
    await stream(caller, framesOf(room(1.5), chunkMs), chunkMs);
    const [stop, complete] = await outcome;
    stopped.push(stop - ended - SILENCE_MS);
    completed.push(complete - stop);
    caller.close();
  }
  return [
    { name: `speech_stopped, beyond ${SILENCE_MS} ms of silence, p50`, value: median(stopped), unit: "ms" },
    {
      name: `speech_stopped, beyond ${SILENCE_MS} ms of silence, p95`,
      value: quantile(stopped, 0.95),
      unit: "ms",
      target: "at most 60",
    },
    { name: "completed after speech_stopped, p50", value: median(completed), unit: "ms" },
    { name: "completed after speech_stopped, p95", value: quantile(completed, 0.95), unit: "ms" },
  ];
}

/** Up to the last sample above -40 dB of full scale, in whole chunks of 20 ms. */
function loudBytes(pcm: Uint8Array): number {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.length >> 1);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > 327);
  return Math.ceil(((last + 1) * 2) / 960) * 960;
}

/** More and more sessions without speech, until they do not keep up. */
async function crowds(server: Server): Promise<Row[]> {
  const rows: Row[] = [];
  const alone = await healthDelay(server, Bun.sleep(2000));
  let kept = 0;
  for (const count of CROWDS) {
    const { lag, share, health } = await crowd(server, count);
    if (count === 100) {
      rows.push({ name: "share of a core of a session that only listens", value: share * 100, unit: "%" });
      rows.push({
        name: "what 100 sessions add to another request, p99",
        value: health - alone,
        unit: "ms",
        target: "at most 5",
      });
    }
    process.stdout.write(
      `  (${count} sessions: lag p95 ${lag.toFixed(0)} ms, ${(share * 100).toFixed(2)} % of a core each)\n`,
    );
    if (lag > LAG_MOST_MS) break;
    kept = count;
    await Bun.sleep(500);
  }
  return [
    ...rows,
    { name: "sessions that keep up, detection only", value: kept, unit: "", target: "at least 200" },
  ];
}

/**
 * So many sessions without speech: the lag of the slowest twentieth and what another request took, both in milliseconds, and
 * the share of a core of each.
 */
export async function crowd(server: Server, count: number) {
  const frames = framesOf(room(SECONDS));
  const callers = await open(server, count);
  const cpuBefore = cpuSeconds(server.pid);
  const begun = performance.now();
  const lags = Promise.all(callers.map((caller) => lagOf(caller, frames)));
  const health = await healthDelay(server, lags);
  const lag = quantile(await lags, 0.95);
  const share = (cpuSeconds(server.pid) - cpuBefore) / ((performance.now() - begun) / 1000) / count;
  for (const caller of callers) caller.close();
  return { lag, share, health };
}

/** How long after the last frame all of them were heard. Sessions start spread over a chunk, as strangers do. */
async function lagOf(caller: Caller, frames: string[]): Promise<number> {
  await Bun.sleep(Math.random() * 100);
  await stream(caller, frames);
  const cleared = caller.next(".cleared");
  const asked = performance.now();
  caller.send(clear);
  return (await cleared) - asked;
}

/** The 99th percentile of another request's time while something goes on. */
async function healthDelay({ url }: Server, during: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = during.then(() => {
    isOver = true;
  });
  const delaysMs: number[] = [];
  while (!isOver) {
    const begun = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    delaysMs.push(performance.now() - begun);
    await Bun.sleep(5);
  }
  await over;
  return quantile(delaysMs, 0.99);
}

/** More and more sessions that speak two thirds of the time, until transcripts come late. */
async function speakers(server: Server, spoken: Uint8Array[]): Promise<Row[]> {
  let kept = 0;
  for (const count of SPEAKERS) {
    const callers = await open(server, count);
    const late = await Promise.all(callers.map((caller, index) => converse(caller, spoken, index)));
    const delay = quantile(late.flat(), 0.95);
    for (const caller of callers) caller.close();
    process.stdout.write(`  (${count} speakers: completed ${delay.toFixed(0)} ms after their turns, p95)\n`);
    if (delay > 2000) break;
    kept = count;
  }
  return [{ name: "sessions that keep up, speaking two thirds of the time", value: kept, unit: "" }];
}

/** Sentences with pauses; how late each transcript was. */
async function converse(caller: Caller, spoken: Uint8Array[], first: number): Promise<number[]> {
  const late: number[] = [];
  await Bun.sleep(Math.random() * 1000);
  for (let turn = 0; turn < TURNS; turn++) {
    const pcm = spoken[(first + turn) % spoken.length]!;
    const outcome = Promise.all([caller.next("speech_stopped"), caller.next(".completed")]);
    await stream(caller, framesOf(new Uint8Array(Buffer.concat([pcm, room(pcm.length / 48_000 / 2 + 0.7)]))));
    const [stop, complete] = await outcome;
    late.push(complete - stop);
  }
  return late;
}
