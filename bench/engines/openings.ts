/**
 * How a stream's first segment sounds, against the same text as one file: what is recognized of it, DNSMOS, and the silence
 * where the first segment ends. English by Flite, eight other languages by eSpeak NG.
 */
import { ASR_SAMPLE_RATE, TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { resample } from "../../src/audio/resample/resample.ts";
import { readConfig } from "../../src/config/config.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import type { Delivery } from "../../src/speech/plan.ts";
import { recognize } from "../../src/transcription/recognize.ts";
import { plainWordErrors } from "../../test/wer.ts";
import { OPENING_TEXTS } from "../harness/opening-texts.ts";
import { median, type Row } from "../harness/row.ts";
import { openDnsmos } from "./dnsmos.ts";
import { speakText } from "./sound.ts";

const DELIVERIES: Delivery[] = ["whole", "streamed"];
const QUIET = 0.01; // -40 dB

type Voice = { engine: string; speaker: string; locale: string };

/** `joinMs`: the silence after the first segment; null where there is one segment only. */
type Clip = { samples: Float32Array; first: number; joinMs: number | null };

export async function benchOpenings(): Promise<Row[]> {
  await using inference = openInference(readConfig());
  const score = await openDnsmos();
  const rows: Row[] = [];
  for (const [language, texts] of Object.entries(OPENING_TEXTS)) {
    const voice = voiceOf(inference, language);
    if (!voice) {
      rows.push({ name: `${language}: no voice is here`, value: 0, unit: "texts" });
      continue;
    }
    for (const delivery of DELIVERIES) {
      const clips: Clip[] = [];
      for (const text of texts) clips.push(await clipOf(inference, voice, { text, delivery }));
      const name = `${language}, ${delivery}`;
      const joins = clips.flatMap(({ joinMs }) => joinMs ?? []);
      rows.push(
        {
          name: `${name}: first segment`,
          value: median(clips.map(({ first }) => first)),
          unit: "characters",
        },
        {
          name: `${name}: silence after it, of ${joins.length} texts`,
          value: joins.length > 0 ? median(joins) : 0,
          unit: "ms",
        },
      );
      if (score) {
        const scores: number[] = [];
        for (const { samples } of clips) scores.push((await score(samples)).overall);
        rows.push({ name: `${name}: DNSMOS overall`, value: median(scores), unit: "of 5" });
      }
      if (language === "en")
        rows.push({
          name: `${name}: word error rate, plain words`,
          value: await errorRate(inference, clips, texts),
          unit: "",
        });
    }
  }
  return rows;
}

function voiceOf({ catalogue }: Inference, language: string): Voice | undefined {
  const engine = language === "en" ? "flite" : "espeak";
  return catalogue.voices.find(
    (voice) => voice.engine === engine && voice.locale.toLowerCase().startsWith(language),
  );
}

async function clipOf(
  inference: Inference,
  voice: Voice,
  { text, delivery }: { text: string; delivery: Delivery },
): Promise<Clip> {
  const { plan, pieces, samples } = await speakText(inference, voice, { text, delivery });
  const joinMs = plan.length > 1 ? silenceMs(samples, pieces[0]!.length) : null;
  return {
    samples: resample(samples, TTS_SAMPLE_RATE, ASR_SAMPLE_RATE),
    first: [...plan[0]!.text].length,
    joinMs,
  };
}

/** The silence around a place. */
function silenceMs(samples: Float32Array, place: number): number {
  let [from, to] = [place, place];
  while (from > 0 && Math.abs(samples[from - 1]!) < QUIET) from--;
  while (to < samples.length && Math.abs(samples[to]!) < QUIET) to++;
  return ((to - from) * 1000) / TTS_SAMPLE_RATE;
}

async function errorRate({ registry }: Inference, clips: Clip[], texts: string[]): Promise<number> {
  let [errors, words] = [0, 0];
  for (const [index, { samples }] of clips.entries()) {
    const task = { samples: samples.slice(), spans: null, language: "en", prompt: "", claim: soleClaim() };
    const hypotheses = await Array.fromAsync(recognize(registry.engine("sphinx"), task));
    const text = hypotheses.flatMap((each) => each.words.map((word) => word.text)).join(" ");
    const counted = plainWordErrors(texts[index]!, text);
    errors += counted.errors;
    words += counted.words;
  }
  return errors / words;
}
