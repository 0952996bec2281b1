/**
 * The speed of a voice through the server, streamed as pcm, beside the reference in a process of its own: in turns, on the
 * same weights, with as many threads. And the holes that a listener meets who plays the stream as it comes.
 */
import { listen } from "../harness/listener.ts";
import { ownKib } from "../harness/process.ts";
import { median, type Row } from "../harness/row.ts";
import { type Server, startServer } from "../harness/server.ts";
import { SENTENCES } from "../harness/texts.ts";
import { THREADS, type VoiceModel } from "./voice-models.ts";
import { type Effort, openVoicePeer, type VoicePeer } from "./voice-peer.ts";

const ROUNDS = 3;
const SHORT = "Good morning, how can I help you today?";
const LONG = SENTENCES.slice(0, 4).join(" "); // about 15 s
/** By several callers at once, a text each. */
const CALLED: ["four" | "eight", string[]][] = [
  ["four", SENTENCES.slice(4, 8)],
  ["eight", SENTENCES.slice(0, 8)],
];
/** Times realtime: an engine that is as fast leaves a listener without holes. */
const FAST_ENOUGH = 1.1;

/** By what was asked for: one figure a round, of the server or of the reference. */
type Figures = Record<"short" | "long" | "alone" | "four" | "eight", number[]>;

export async function speedRows(
  { name, voice, peer: peerName, peerVoice }: VoiceModel,
  { weights, python }: { weights: string; python: string },
): Promise<Row[]> {
  await using server = await startServer({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: `${THREADS}` });
  await using peer = await openVoicePeer(python, peerVoice);
  const [here, there] = [noFigures(), noFigures()];
  const holes: number[] = [];
  const cold = await listen(server, { voice, input: SHORT });
  await peer.speak(SHORT);
  for (let round = 0; round < ROUNDS; round++) {
    holes.push(await served(server, voice, here));
    await asked(peer, there);
  }
  const compared = { name, peerName, here, there };
  return [
    ...firstAudioRows(compared),
    ...speedsOf(compared),
    { name: `${name}: first audio of a server that has not spoken`, value: cold.firstSeconds, unit: "s" },
    { name: `${peerName}: load time`, value: peer.loadSeconds, unit: "s" },
    {
      name: `${name}: memory of the server and all it started`,
      value: ownKib(server.pid) / 1024,
      unit: "MiB",
    },
    { name: `${peerName}: memory`, value: ownKib(peer.pid) / 1024, unit: "MiB" },
    {
      ...{ name: `${name}: holes for a listener to the long text`, value: median(holes), unit: "s" },
      ...(median(there.alone) >= FAST_ENOUGH ? { target: "at most 0" } : {}),
    },
  ];
}

const noFigures = (): Figures => ({ short: [], long: [], alone: [], four: [], eight: [] });

/** A round of the server; returns the holes of the long text in seconds. */
async function served(server: Server, voice: string, figures: Figures): Promise<number> {
  figures.short.push((await listen(server, { voice, input: SHORT })).firstSeconds);
  const long = await listen(server, { voice, input: LONG });
  figures.long.push(long.firstSeconds);
  figures.alone.push(factorOf(long));
  for (const [callers, texts] of CALLED) {
    const begun = performance.now();
    const all = await Promise.all(texts.map((input) => listen(server, { voice, input })));
    const audioSeconds = all.reduce((sum, each) => sum + each.audioSeconds, 0);
    figures[callers].push(factorOf({ audioSeconds, workSeconds: (performance.now() - begun) / 1000 }));
  }
  return long.holeSeconds;
}

async function asked(peer: VoicePeer, figures: Figures): Promise<void> {
  figures.short.push((await peer.speak(SHORT)).firstSeconds);
  const long = await peer.speak(LONG);
  figures.long.push(long.firstSeconds);
  figures.alone.push(factorOf(long));
  for (const [callers, texts] of CALLED) figures[callers].push(factorOf(await peer.together(texts)));
}

const factorOf = ({ audioSeconds, workSeconds }: Effort): number => audioSeconds / workSeconds;

type Compared = { name: string; peerName: string; here: Figures; there: Figures };

const firstAudioRows = ({ name, peerName, here, there }: Compared): Row[] =>
  (["short", "long"] as const).flatMap((text) => [
    { name: `${name}: first audio of a ${text} text`, value: median(here[text]), unit: "s" },
    { name: `${peerName}: first audio of a ${text} text`, value: median(there[text]), unit: "s" },
    {
      ...{ name: `${name}: first audio of a ${text} text, to ${peerName}`, unit: "times" },
      ...{ value: ratioOf(here[text], there[text]), target: "at most 0.5" },
    },
  ]);

const speedsOf = ({ name, peerName, here, there }: Compared): Row[] =>
  (
    [
      ["alone", "1 caller", "at least 1"],
      ["four", "4 callers", "at least 1"],
      ["eight", "8 callers", "at least 2"],
    ] as const
  ).flatMap(([kind, callers, target]) => [
    { name: `${name}: ${callers}`, value: median(here[kind]), unit: "x realtime" },
    { name: `${peerName}: ${callers}`, value: median(there[kind]), unit: "x realtime" },
    {
      ...{ name: `${name}: ${callers}, to ${peerName}`, unit: "times" },
      ...{ value: ratioOf(here[kind], there[kind]), target },
    },
  ]);

/** The median of the ratios of the rounds, as other work changes from round to round. */
const ratioOf = (here: number[], there: number[]): number =>
  median(here.map((value, round) => value / there[round]!));
