/**
 * A recording of hours as a job: memory at its start and at its end, how fast it is beside the same pieces as requests, and how
 * long others wait for their first audio. By engines: a stand-in that answers at once shows what the job itself takes.
 *
 *   BENCH_LONG_JOB=instant=12,built-in=1,whisper=12 npm run bench -- long-job
 */

import { HEADER_BYTES, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { piecesOf } from "../../src/transcription/long/long-recording.ts";
import { realStore, unlessReal } from "../../testing/packages/real-weights.ts";
import { transcribe } from "../harness/client.ts";
import { askJobs, cancel, INSTANT, instantUpstream, madeBy, openInstant } from "../harness/jobs.ts";
import { cpuSecondsOfAll, residentKib } from "../harness/process.ts";
import { recordingOf } from "../harness/recording.ts";
import { median, type Row, timed } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { addUpstream } from "../upstream/add-upstream.ts";
import { firstAudioWaits } from "./speech.ts";

const ASKED = Bun.env.BENCH_LONG_JOB ?? "instant=12,built-in=1";
/** It is spoken once, and repeated. */
const SPOKEN_SECONDS = 600;
/** How much of the recording is also sent as requests. */
const REQUESTS_SECONDS = 1800;
const PART_BYTES = 60 * 1024 * 1024;
const ROUNDS = 3;
const LOOK_MS = 500;

type Engine = { model: string; environment: () => Record<string, string>; unless: () => string };

const ENGINES: Record<string, Engine> = {
  instant: { model: INSTANT, environment: () => ({}), unless: () => "" },
  "built-in": { model: "svc-stt1", environment: () => ({}), unless: () => "" },
  whisper: {
    model: "svc-stt1",
    environment: () => ({ LOQUAT_WEIGHTS: realStore() }),
    unless: () => unlessReal("whisper", "vad"),
  },
};

export async function* benchLongJob(): AsyncIterable<Row> {
  for (const asked of ASKED.split(",")) {
    const [name = "", hours = "1"] = asked.split("=");
    const engine = ENGINES[name];
    if (!engine)
      throw new Error(`BENCH_LONG_JOB names ${name}, not one of ${Object.keys(ENGINES).join(", ")}`);
    const missing = engine.unless();
    if (missing !== "") yield { name: `${name}${missing}`, value: 0, unit: "rows" };
    else yield* benchEngine(name, engine, 3600 * Number(hours));
  }
}

async function* benchEngine(
  name: string,
  { model, environment }: Engine,
  seconds: number,
): AsyncIterable<Row> {
  await using server = await startServer({ LOQUAT_PLAN: "unmetered", ...environment() });
  using instant = openInstant();
  await addUpstream(server, instantUpstream(instant.url));
  const spoken = new Uint8Array(await (await recordingOf(server, SPOKEN_SECONDS)).arrayBuffer());
  const recording = { samples: spoken.subarray(HEADER_BYTES), seconds };
  const pieces = await piecesAsWav(recording);
  const called = `${name}, ${seconds / 3600} h`;
  const send = async (piece: Piece) => (await transcribe(server, piece.wav, { model })).json();
  await send(pieces[0]!); // until the engine is loaded
  const fileId = await uploaded(server, recording);
  const make = async () => madeBy(await createJob(server, { model, fileId }));
  const job = await watched(server, await make());
  const asRequests = await measured(server, async () => {
    for (const piece of pieces) await send(piece);
  });
  const sent = pieces.reduce((sum, { seconds: length }) => sum + length, 0);
  yield { name: `${called}: the job`, value: seconds / job.seconds, unit: "x realtime" };
  yield { name: `${called}: its pieces as requests`, value: sent / asRequests.seconds, unit: "x realtime" };
  const ratio = seconds / job.seconds / (sent / asRequests.seconds);
  const held = model === INSTANT ? {} : { target: "at least 0.9" };
  yield { name: `${called}: ratio`, value: ratio, unit: "x", ...held };
  const hourly = (cpuSeconds: number, of: number) => (cpuSeconds * 3600) / of;
  yield {
    name: `${called}: processor time, the job`,
    value: hourly(job.cpuSeconds, seconds),
    unit: "s an hour",
  };
  yield {
    ...{ name: `${called}: processor time, its pieces as requests`, unit: "s an hour" },
    value: hourly(asRequests.cpuSeconds, sent),
  };
  yield* memoryRows(called, job.memory);
  yield* othersRows(server, called, make);
}

type Recording = { samples: Uint8Array; seconds: number };
type Piece = { wav: Blob; seconds: number };

/** As a job cuts them. */
async function piecesAsWav({ samples, seconds }: Recording): Promise<Piece[]> {
  const spoken = Float32Array.from(new Int16Array(samples.slice().buffer), (sample) => sample / 32768);
  const pieces: Piece[] = [];
  const repeated = async function* () {
    for (let at = 0; at < Math.min(seconds, REQUESTS_SECONDS); at += SPOKEN_SECONDS) yield spoken;
  };
  for await (const piece of piecesOf(repeated())) {
    const pcm = Int16Array.from(piece, (sample) => sample * 32768);
    const wav = new Blob([wavHeader(piece.length, ASR_SAMPLE_RATE), pcm]);
    pieces.push({ wav, seconds: piece.length / ASR_SAMPLE_RATE });
  }
  return pieces;
}

/** Sent in parts, which are made as they are sent. Returns the id of the file. */
async function uploaded(server: Server, { samples, seconds }: Recording): Promise<string> {
  const count = seconds * ASR_SAMPLE_RATE;
  const head = wavHeader(count, ASR_SAMPLE_RATE);
  const bytes = head.length + 2 * count;
  const upload = { filename: "long.wav", bytes, mime_type: "audio/wav", purpose: "user_data" };
  const { id } = await posted(server, "/uploads", JSON.stringify(upload));
  const ids: string[] = [];
  let part: Uint8Array<ArrayBuffer>[] = [head];
  let held = head.length;
  const send = async () => {
    const form = new FormData();
    form.append("data", new Blob(part));
    ids.push((await posted(server, `/uploads/${id}/parts`, form)).id);
    [part, held] = [[], 0];
  };
  for (let at = head.length; at < bytes; ) {
    const from = (at - head.length) % samples.length;
    const taken = samples.slice(from, from + Math.min(PART_BYTES - held, bytes - at));
    part.push(taken);
    held += taken.length;
    at += taken.length;
    if (held === PART_BYTES) await send();
  }
  if (held > 0) await send();
  return (await posted(server, `/uploads/${id}/complete`, JSON.stringify({ part_ids: ids }))).file!.id;
}

async function posted({ url, key }: Server, path: string, body: string | FormData) {
  const headers = { authorization: `Bearer ${key}`, ...(typeof body === "string" && JSON_BODY) };
  const response = await fetch(`${url}/v1${path}`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { id: string; file?: { id: string } };
}

const JSON_BODY = { "content-type": "application/json" };

function createJob(
  { url, key }: Server,
  { model, fileId }: { model: string; fileId: string },
): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, ...JSON_BODY };
  const body = JSON.stringify({ model, file_id: fileId, background: true });
  return fetch(`${url}/v1/audio/transcriptions`, { method: "POST", headers, body });
}

type Taken = { seconds: number; cpuSeconds: number };
/** MiB of the server and its processes, by the progress at which it was seen. */
type Seen = { progress: number; mib: number };

async function measured(server: Server, work: () => Promise<unknown>): Promise<Taken> {
  const before = cpuSecondsOfAll(server.pid);
  const seconds = (await timed(work)) / 1000;
  return { seconds, cpuSeconds: cpuSecondsOfAll(server.pid) - before };
}

/** To its end. Fails where it does not succeed. */
async function watched(server: Server, id: string): Promise<Taken & { memory: Seen[] }> {
  const memory: Seen[] = [];
  const taken = await measured(server, async () => {
    for (;;) {
      const { status, progress, error } = await askJobs(server, `/${id}`);
      if (status === "completed") return;
      if (status !== "queued" && status !== "in_progress") throw new Error(`${status}: ${error?.message}`);
      memory.push({ progress, mib: residentKib(server.pid) / 1024 });
      await Bun.sleep(LOOK_MS);
    }
  });
  return { ...taken, memory };
}

function* memoryRows(called: string, seen: Seen[]): Iterable<Row> {
  const most = (from: number, to: number) =>
    Math.max(...seen.filter(({ progress }) => progress >= from && progress < to).map(({ mib }) => mib));
  const [early, late] = [most(5, 25), most(75, 100)];
  yield { name: `${called}: most memory, from 5 to 25 %`, value: early, unit: "MiB" };
  yield { name: `${called}: most memory, from 75 % on`, value: late, unit: "MiB" };
  yield { name: `${called}: memory, ratio`, value: late / early, unit: "x", target: "at most 1.1" };
}

/** First audio of another caller, without and with the job, in turns. */
async function* othersRows(server: Server, called: string, make: () => Promise<string>): AsyncIterable<Row> {
  await firstAudioWaits(server, 1); // until engines run
  const [without, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(...(await firstAudioWaits(server, 1)));
    const id = await make();
    while ((await askJobs(server, `/${id}`)).progress === 0) await Bun.sleep(LOOK_MS);
    beside.push(...(await firstAudioWaits(server, 1)));
    await cancel(server, id);
  }
  yield { name: `${called}: first audio of another caller, no job`, value: median(without), unit: "ms" };
  yield { name: `${called}: first audio of another caller, the job`, value: median(beside), unit: "ms" };
  const ratio = median(beside) / median(without);
  yield { name: `${called}: first audio, ratio`, value: ratio, unit: "x", target: "at most 1.1" };
}
