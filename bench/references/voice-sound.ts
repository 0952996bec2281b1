/**
 * How the texts sound and what is understood of them, beside the reference: DNSMOS, the word errors of a round trip through
 * Whisper tiny.en, and faults at joins. Both are given the same text, as a caller writes it.
 */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { readConfig } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { joined } from "../../src/transcription/transcript.ts";
import { normalizerOf, percent, type WordErrors, wordErrors } from "../../test/wer.ts";
import type { openDnsmos, Scores } from "../engines/dnsmos.ts";
import { clickOf, holesOf, speakText } from "../engines/sound.ts";
import { median, type Row } from "../harness/row.ts";
import { VOICE_TEXTS } from "../harness/voice-texts.ts";
import type { VoiceModel } from "./voice-models.ts";
import type { VoicePeer } from "./voice-peer.ts";

const WORST = 3;

type Recognizer = AsyncDisposable & { text(samples: Float32Array): Promise<string> };

export function openRecognizer(weights: string): Recognizer {
  const inference = openInference(readConfig({ LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" }));
  return {
    async text(samples) {
      const task = { samples: samples.slice(), spans: null, language: "en", prompt: "", claim: soleClaim() };
      const engine = inference.registry.engine("whisper-tiny.en");
      const hypotheses = await Array.fromAsync(recognize(engine, task));
      return joined(hypotheses.flatMap(({ words }) => words));
    },
    [Symbol.asyncDispose]: () => inference[Symbol.asyncDispose](),
  };
}

type Tools = {
  inference: Inference;
  recognizer: Recognizer;
  peer: VoicePeer;
  score: NonNullable<Awaited<ReturnType<typeof openDnsmos>>>;
};

/** Of one text: `transcript` is what the recognizer wrote. */
type Assessed = { text: string; transcript: string; errors: WordErrors; scores: Scores };

export async function soundRows(
  { name, voice: id, peer: peerName }: VoiceModel,
  { inference, recognizer, peer, score }: Tools,
): Promise<Row[]> {
  const voice = inference.catalogue.voices.find((each) => each.id === id)!;
  const assess = async (text: string, samples: Float32Array): Promise<Assessed> => {
    const transcript = await recognizer.text(samples);
    return { text, transcript, errors: wordErrors(text, transcript), scores: await score(samples) };
  };
  const [here, there]: [Assessed[], Assessed[]] = [[], []];
  let [click, holes] = [0, 0];
  for (const text of VOICE_TEXTS) {
    const spoken = await speakText(inference, voice, { text });
    click = Math.max(click, clickOf(spoken));
    holes += holesOf(spoken, "model");
    here.push(await assess(text, resample(spoken.samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE)));
    const { samples, rate } = await peer.speak(text);
    there.push(await assess(text, resample(samples, rate, ASR_SAMPLE_RATE)));
  }
  const middle = (all: Assessed[], kind: keyof Scores) => median(all.map(({ scores }) => scores[kind]));
  const rate = (all: Assessed[]) => percent(all.map(({ errors }) => errors));
  const overall = (all: Assessed[]) => middle(all, "overall");
  return [
    ...(["signal", "background", "overall"] as const).flatMap((kind) => [
      { name: `${name}: DNSMOS ${kind}`, value: middle(here, kind), unit: "of 5" },
      { name: `${peerName}: DNSMOS ${kind}`, value: middle(there, kind), unit: "of 5" },
    ]),
    {
      ...{ name: `${name}: DNSMOS overall below that of ${peerName}`, unit: "of 5" },
      ...{ value: overall(there) - overall(here), target: "at most 0.05" },
    },
    { name: `${name}: round trip WER, ${normalizerOf("en")}`, value: rate(here), unit: "%" },
    { name: `${peerName}: round trip WER, ${normalizerOf("en")}`, value: rate(there), unit: "%" },
    {
      ...{ name: `${name}: round trip WER above that of ${peerName}`, unit: "%" },
      ...{ value: rate(here) - rate(there), target: "at most 0" },
    },
    ...worstOf(here),
    {
      ...{ name: `${name}: greatest jump at a join, to those around it`, unit: "times" },
      ...{ value: click, target: "at most 1.5" },
    },
    { name: `${name}: holes of zeros within speech`, value: holes, unit: "", target: "at most 0" },
  ];
}

function worstOf(all: Assessed[]): Row[] {
  return all
    .toSorted((a, b) => b.errors.errors / b.errors.words - a.errors.errors / a.errors.words)
    .slice(0, WORST)
    .map(({ text, transcript, errors }) => ({
      name: `  "${text.replaceAll(/\s+/g, " ")}" as "${transcript}"`,
      ...{ value: errors.errors, unit: `of ${errors.words} words` },
    }));
}
