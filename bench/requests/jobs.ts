/**
 * Jobs: how many short ones a node does in a minute, what the queue adds to the time of one, and how long others wait for their
 * first audio while a long one runs. A stand-in that answers at once recognizes the short ones, so that the queue is measured.
 */

import { clipOf, transcribe } from "../harness/client.ts";
import {
  askJobs,
  begun,
  cancel,
  ended,
  INSTANT,
  instantUpstream,
  madeBy,
  openInstant,
} from "../harness/jobs.ts";
import { recordingOf } from "../harness/recording.ts";
import { inParallel, median, type Row, timed } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { addUpstream } from "../upstream/add-upstream.ts";
import { firstAudioWaits } from "./speech.ts";

const COUNT = 500;
const CALLERS = 8;
const ALONE = 15;
const LONG_SECONDS = 600;
const ROUNDS = 3;
const POLL_MS = 250; // requests about jobs are limited

export async function* benchJobs(): AsyncIterable<Row> {
  await using server = await startServer({ LOQUAT_PLAN: "unmetered" });
  using instant = openInstant();
  await addUpstream(server, instantUpstream(instant.url));
  const clip = await clipOf(server, "Good morning.");
  yield* benchQueue(server, clip);
  yield* benchOthers(server);
}

async function* benchQueue(server: Server, clip: Blob): AsyncIterable<Row> {
  const alone: number[] = [];
  const asJob: number[] = [];
  for (let turn = 0; turn < ALONE; turn++) {
    alone.push(await timed(async () => (await transcribe(server, clip, { model: INSTANT })).json()));
    asJob.push(await timed(async () => ended(server, await made(server, clip, { model: INSTANT }))));
  }
  yield { name: "a short recording, one request", value: median(alone), unit: "ms" };
  yield { name: "the same, as a job that is waited for", value: median(asJob), unit: "ms" };
  const took = await timed(async () => {
    await inParallel(CALLERS, COUNT, async () => void (await made(server, clip, { model: INSTANT })));
    while ((await isAny(server, "queued")) || (await isAny(server, "in_progress"))) await Bun.sleep(POLL_MS);
  });
  if (await isAny(server, "failed")) throw new Error("a job failed");
  const name = `${COUNT} short jobs at once, at one node`;
  yield { name, value: (COUNT * 60_000) / took, unit: "jobs a minute", target: "at least 1000" };
}

/** First audio of another caller, without and with a long job, in turns. */
async function* benchOthers(server: Server): AsyncIterable<Row> {
  const recording = await recordingOf(server, LONG_SECONDS);
  await firstAudioWaits(server, 1); // until engines run
  const [without, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    without.push(...(await firstAudioWaits(server, 1)));
    const id = await made(server, recording);
    await begun(server, id);
    beside.push(...(await firstAudioWaits(server, 1)));
    await cancel(server, id);
  }
  const name = "first audio of another caller";
  yield { name: `${name}, no jobs`, value: median(without), unit: "ms" };
  yield { name: `${name}, a long job`, value: median(beside), unit: "ms" };
  yield { name: `${name}, ratio`, value: median(beside) / median(without), unit: "x", target: "at most 1.1" };
}

const made = async (server: Server, file: Blob, fields: Record<string, string> = {}): Promise<string> =>
  madeBy(await transcribe(server, file, { background: "true", ...fields }));

async function isAny(server: Server, status: string): Promise<boolean> {
  const { data } = await askJobs<{ data: unknown[] }>(server, `?status=${status}&limit=1`);
  return data.length > 0;
}
