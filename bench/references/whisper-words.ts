/** The words of Whisper tiny.en by the server's route of files and by faster-whisper, and their errors, times and lengths. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toInt16, wavHeader } from "../../src/audio/pcm.ts";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { normalizerOf, percent, wordErrors } from "../../test/wer.ts";
import { transcribe } from "../harness/client.ts";
import { median, quantile, type Row } from "../harness/row.ts";
import type { Server } from "../harness/server.ts";
import type { openPeer } from "./peer-process.ts";
import { type Material, withoutSpeech } from "./whisper-material.ts";

type TimedWord = { text: string; start: number; end: number };

export type WhisperPeer = Awaited<ReturnType<typeof openPeer<{ loadSeconds: number }>>>;

/** How the texts of some recordings compare with what was spoken. */
type Texts = { material: Material[]; words: TimedWord[][] };

const asWav = ({ samples }: Material) =>
  new Blob([wavHeader(samples.length, ASR_SAMPLE_RATE), toInt16(samples)]);

/** By the server. */
export async function wordsHere(server: Server, material: Material): Promise<TimedWord[]> {
  const fields = { response_format: "verbose_json", "timestamp_granularities[]": "word", language: "en" };
  const response = await transcribe(server, asWav(material), fields);
  if (!response.ok) throw new Error(await response.text());
  const { words } = (await response.json()) as { words: { word: string; start: number; end: number }[] };
  return words.map(({ word, ...times }) => ({ text: word, ...times }));
}

/** By faster-whisper, of some recordings at once; the seconds are those of all. */
export async function wordsThere(
  peer: WhisperPeer,
  material: Material[],
  vad = false,
): Promise<{ seconds: number; texts: TimedWord[][] }> {
  const paths = material.map(({ samples }, index) => {
    const path = join(peer.folder, `${index}`);
    writeFileSync(path, samples);
    return path;
  });
  return peer.ask({ paths, vad });
}

/** What the reference writes, asked for once: without and with its VAD. */
export async function referenceOf(peer: WhisperPeer, name: string, material: Material[]) {
  const asked = async (vad: boolean): Promise<Texts> => {
    const words: TimedWord[][] = [];
    for (const each of material) words.push(...(await wordsThere(peer, [each], vad)).texts);
    return { material, words };
  };
  return { name, plain: await asked(false), byVad: await asked(true) };
}

type Reference = Awaited<ReturnType<typeof referenceOf>>;

export const referenceRows = ({ name, plain, byVad }: Reference): Row[] => [
  { name: `faster-whisper, ${name}: WER, ${normalizerOf("en")}`, value: rateOf(plain), unit: "%" },
  { name: `faster-whisper with its VAD, ${name}: WER`, value: rateOf(byVad), unit: "%" },
];

/** `vad`: the name of what detects speech in the server. */
export async function wordRows(server: Server, vad: string, reference: Reference): Promise<Row[]> {
  const { material } = reference.plain;
  const words: TimedWord[][] = [];
  for (const each of material) words.push(await wordsHere(server, each));
  const apart = words.flatMap((each, index) => startsApart(each, reference.plain.words[index]!));
  const lengths = words.flat().map(({ start, end }) => end - start);
  const rate = rateOf({ material, words });
  const name = `${vad}, ${reference.name}`;
  return [
    { name: `${name}: WER`, value: rate, unit: "%" },
    {
      ...{ name: `${name}: WER above faster-whisper`, unit: "points" },
      ...{ value: rate - rateOf(reference.plain), target: "at most 0.3" },
    },
    { name: `${name}: starts apart, p90`, value: quantile(apart, 0.9), unit: "ms" },
    {
      ...{ name: `${name}: starts of ${apart.length} words apart, median`, unit: "ms" },
      ...{ value: median(apart), target: "at most 60" },
    },
    { name: `${name}: longest word`, value: Math.max(...lengths), unit: "s", target: "at most 2" },
  ];
}

export async function silenceRows(server: Server, vad: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const each of withoutSpeech()) {
    const { length } = await wordsHere(server, each);
    rows.push({ name: `${vad}: words of ${each.name}`, value: length, unit: "", target: "at most 0" });
  }
  return rows;
}

const rateOf = ({ material, words }: Texts): number =>
  percent(material.map(({ text }, index) => wordErrors(text, joined(words[index]!))));

const joined = (words: TimedWord[]) => words.map(({ text }) => text).join(" ");

/** Milliseconds between the starts of the words that both have, in the longest order that both share. */
function startsApart(here: TimedWord[], there: TimedWord[]): number[] {
  const [ours, theirs] = [here.map(lettersOf), there.map(lettersOf)];
  const lengths = Array.from({ length: ours.length + 1 }, () => new Uint16Array(theirs.length + 1));
  for (let i = ours.length - 1; i >= 0; i--)
    for (let j = theirs.length - 1; j >= 0; j--)
      lengths[i]![j] =
        ours[i] === theirs[j]
          ? lengths[i + 1]![j + 1]! + 1
          : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const apart: number[] = [];
  for (let i = 0, j = 0; i < ours.length && j < theirs.length; ) {
    if (ours[i] === theirs[j]) apart.push(1000 * Math.abs(here[i++]!.start - there[j++]!.start));
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++;
    else j++;
  }
  return apart;
}

const lettersOf = ({ text }: TimedWord) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
