/**
 * Memory of the server and its processes after 2,000 mixed requests against after 200: growth is a leak.
 *
 * Every kind of request is in the mix: whole, streamed, abandoned, refused, transcribed, in every format.
 */
import { hangUp, speak, transcribe } from "../harness/client.ts";
import { residentKib } from "../harness/process.ts";
import { inParallel, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";

const EARLY = 200;
const LATE = 2000;
const CALLERS = 4;
const SETTLE_MS = 3000;
const FORMATS = ["wav", "mp3", "flac", "pcm", "opus"];
const VOICES = ["female-warm", "male-deep", "female-sunny", "male-mellow", "female-crisp"];

export async function benchMemory(): Promise<Row[]> {
  await using server = await startServer();
  const recordings = await record(server);
  const send = (turn: number) => MIX[turn % MIX.length]!(server, turn, recordings);
  await inParallel(CALLERS, EARLY, send);
  const early = await settled(server.pid);
  await inParallel(CALLERS, LATE - EARLY, send);
  const late = await settled(server.pid);
  return [
    { name: `memory after ${EARLY} requests`, value: early, unit: "MiB" },
    { name: `memory after ${LATE} requests`, value: late, unit: "MiB" },
    { name: "memory, ratio", value: late / early, unit: "x", target: "at most 1.1" },
  ];
}

type Recordings = Map<string, Blob>;
type Send = (server: Server, turn: number, recordings: Recordings) => Promise<void>;

const pick = <T>(choices: T[], turn: number) => choices[turn % choices.length]!;

const STREAMED = { response_format: "pcm" }; // the only format that this model streams

/** Each kind of request comes in each format. */
const formatOf = (turn: number) => pick(FORMATS, Math.floor(turn / MIX.length));

const MIX: Send[] = [
  async (server, turn) =>
    drain(await speak(server, { voice: pick(VOICES, turn), response_format: formatOf(turn) })),
  async (server) => drain(await speak(server, { stream: true, ...STREAMED })),
  async (server, turn) =>
    drain(await speak(server, { stream_format: "sse", voice: pick(VOICES, turn), ...STREAMED })),
  async (server) => void (await hangUp(server)),
  async (server) => drain(await speak(server, { input: "" })),
  async (server) => drain(await speak(server, { voice: "nobody" })),
  async (server, turn, recordings) => drain(await transcribe(server, recordings.get(formatOf(turn))!)),
  async (server) => drain(await transcribe(server, new Blob(["this is no recording"]))),
  async ({ url, key }) =>
    drain(await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })),
  async ({ url, key }) =>
    drain(await fetch(`${url}/v1/voices`, { headers: { authorization: `Bearer ${key}` } })),
];

async function drain(response: Response): Promise<void> {
  await response.arrayBuffer();
}

async function record(server: Server): Promise<Recordings> {
  const recordings: Recordings = new Map();
  for (const format of FORMATS) {
    const response_format = format === "pcm" ? "wav" : format;
    recordings.set(format, await (await speak(server, { response_format })).blob());
  }
  return recordings;
}

/** MiB resident in a process and everything it started, once it has had a moment's rest. */
async function settled(pid: number): Promise<number> {
  await Bun.sleep(SETTLE_MS);
  return residentKib(pid) / 1024;
}
