/**
 * Whisper tiny.en on its published weights beside faster-whisper with a beam of one: words, their times, and speed in turns
 * with as many threads. `BENCH_WHISPER=recordings,pauses,silence,speed` measures some of it.
 */

import {
  realStore,
  realStoreWithoutVad,
  realWeights,
  unlessReal,
} from "../../testing/packages/real-weights.ts";
import { cpuSecondsOfAll, ownKib } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { openPeer } from "./peer-process.ts";
import { peersPython } from "./python-peers.ts";
import { type Material, recordings, withPauses } from "./whisper-material.ts";
import {
  referenceOf,
  referenceRows,
  silenceRows,
  type WhisperPeer,
  wordRows,
  wordsHere,
  wordsThere,
} from "./whisper-words.ts";

const THREADS = 2;
const ROUNDS = 3;
/** And the least ratio of each to faster-whisper. */
const CALLERS: [count: number, target: string][] = [
  [1, "at least 1"],
  [4, "at least 1"],
  [8, "at least 2"],
];

export async function benchWhisper(): Promise<Row[]> {
  const python = peersPython();
  const missing = unlessReal("whisper", "vad", "turn");
  if (missing !== "") return [{ name: `whisper${missing}`, value: 0, unit: "rows" }];
  if (!python) return [{ name: "whisper: the Python references are not here", value: 0, unit: "rows" }];
  const asked = (Bun.env.BENCH_WHISPER ?? "recordings,pauses,silence,speed").split(",");
  await using peer: WhisperPeer = await openPeer(python, [
    "whisper-peer.py",
    `${THREADS}`,
    realWeights("whisper")!,
  ]);
  const short = await recordings();
  const rows: Row[] = [];
  const references = [];
  if (asked.includes("recordings"))
    references.push(await referenceOf(peer, `${short.length} recordings`, short));
  if (asked.includes("pauses"))
    references.push(await referenceOf(peer, "ten minutes with pauses", [withPauses(short)]));
  rows.push(...references.flatMap(referenceRows));
  const stores = { "embedded VAD": realStoreWithoutVad(), "Silero VAD": realStore() };
  for (const [vad, weights] of Object.entries(stores)) {
    await using server = await serverWith(weights);
    for (const reference of references) rows.push(...(await wordRows(server, vad, reference)));
    if (asked.includes("silence")) rows.push(...(await silenceRows(server, vad)));
  }
  if (asked.includes("speed")) rows.push(...(await speedRows(peer, stores["Silero VAD"])));
  return rows;
}

const serverWith = (weights: string) =>
  startServer({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: `${THREADS}` });

/** Of so much audio by several callers at once. */
type Effort = { factor: number; cpuPerSecond: number };

async function speedRows(peer: WhisperPeer, weights: string): Promise<Row[]> {
  await using server = await serverWith(weights);
  const all = await recordings();
  await wordsHere(server, all[0]!);
  const rows: Row[] = [];
  for (const [callers, target] of CALLERS) {
    const calls = all.slice(0, callers);
    const [here, there]: [Effort[], Effort[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      here.push(await effortOf(server.pid, calls, () => called(server, calls)));
      there.push(await effortOf(peer.pid, calls, () => wordsThere(peer, calls)));
    }
    rows.push(...comparedRows(callers === 1 ? "1 caller" : `${callers} callers`, { here, there, target }));
  }
  return [
    ...rows,
    {
      name: "Loquat: memory of the server and all it started",
      value: ownKib(server.pid) / 1024,
      unit: "MiB",
    },
    { name: "faster-whisper: memory", value: ownKib(peer.pid) / 1024, unit: "MiB" },
  ];
}

const called = (server: Server, calls: Material[]) =>
  Promise.all(calls.map((each) => wordsHere(server, each)));

async function effortOf(pid: number, calls: Material[], work: () => Promise<unknown>): Promise<Effort> {
  const audioSeconds = calls.reduce((sum, { samples }) => sum + samples.length, 0) / 16_000;
  const [begun, cpuBefore] = [performance.now(), cpuSecondsOfAll(pid)];
  await work();
  const seconds = (performance.now() - begun) / 1000;
  return { factor: audioSeconds / seconds, cpuPerSecond: (cpuSecondsOfAll(pid) - cpuBefore) / audioSeconds };
}

type Compared = { here: Effort[]; there: Effort[]; target: string };

function comparedRows(callers: string, { here, there, target }: Compared): Row[] {
  const middle = (all: Effort[], kind: keyof Effort) => median(all.map((each) => each[kind]));
  const ratio = median(here.map(({ factor }, round) => factor / there[round]!.factor));
  return [
    { name: `Loquat: ${callers}`, value: middle(here, "factor"), unit: "x realtime" },
    { name: `faster-whisper: ${callers}`, value: middle(there, "factor"), unit: "x realtime" },
    { name: `Loquat to faster-whisper: ${callers}`, value: ratio, unit: "times", target },
    { name: `Loquat: ${callers}, processor`, value: middle(here, "cpuPerSecond"), unit: "s per s of audio" },
    {
      name: `faster-whisper: ${callers}, processor`,
      value: middle(there, "cpuPerSecond"),
      unit: "s per s of audio",
    },
  ];
}
