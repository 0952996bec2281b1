/**
 * The sound quality of the voices: DNSMOS P.835, which predicts how listeners would rate a recording, from 1 to 5. Nine
 * seconds of 16 kHz go in at a time; three polynomials map the model's raw answers to scores, as its authors do.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { ASR_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { readConfig } from "../../src/config.ts";
import { soleClaim } from "../../src/engine/claim.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import { readerOf } from "../../src/speech/pronounceable.ts";
import { renderWhole } from "../../src/speech/synthesizer.ts";
import { median, type Row } from "../harness/row.ts";
import { textOf } from "../harness/texts.ts";

const SHARED = fileURLToPath(new URL("../../../shared", import.meta.url));
const MODEL = join(SHARED, "models/dnsmos/sig_bak_ovr.onnx");
const HUMANS = join(SHARED, "audio/speech-en");
const WINDOW = Math.round(9.01 * ASR_SAMPLE_RATE);
const HOP = ASR_SAMPLE_RATE;

/** Coefficients, highest power first. */
const SCORES = {
  signal: [-0.08397278, 1.22083953, 0.0052439],
  background: [-0.13166888, 1.60915514, -0.39604546],
  overall: [-0.06766283, 1.11546468, 0.04602535],
};

type Scores = { signal: number; background: number; overall: number };

export async function benchQuality(): Promise<Row[]> {
  if (!existsSync(MODEL)) return [{ name: "DNSMOS: its model is not here", value: 0, unit: "runs" }];
  await using engines = openInference(readConfig());
  const session = await InferenceSession.create(MODEL, { intraOpNumThreads: 2 });
  const rows: Row[] = [];
  const humans: Scores[] = [];
  for (const name of readdirSync(HUMANS).filter((name) => name.endsWith(".wav"))) {
    humans.push(await score(session, await samplesOf(engines, readFileSync(join(HUMANS, name)))));
  }
  rows.push(...rowsOf("people, to compare with", humans));
  for (const voice of engines.catalogue.voices.filter(({ language }) => language === "en")) {
    const scores: Scores[] = [];
    for (const turn of [0, 1, 2]) {
      const utterance = {
        engine: voice.engine,
        speaker: voice.speaker,
        reader: readerOf(voice, null),
        text: textOf(turn),
        language: voice.locale,
        speed: 1,
        instructions: "",
        claim: soleClaim(),
      };
      const { body } = await renderWhole(engines.synthesizer, utterance, "wav");
      const bytes = Buffer.concat(await Array.fromAsync(body.chunks()));
      scores.push(await score(session, await samplesOf(engines, bytes)));
    }
    rows.push(...rowsOf(`${voice.id} (${voice.engine} ${voice.speaker})`, scores));
  }
  return rows;
}

function rowsOf(name: string, scores: Scores[]): Row[] {
  return (["signal", "background", "overall"] as const).map((kind) => ({
    name: `DNSMOS ${kind}, ${name}`,
    value: median(scores.map((score) => score[kind])),
    unit: "of 5",
  }));
}

async function samplesOf({ decoder }: Inference, bytes: Uint8Array): Promise<Float32Array> {
  const decoded = await decoder.decode(bytes, soleClaim());
  if ("refusal" in decoded) throw new Error(decoded.message);
  return decoded.samples;
}

/** The mean over windows a second apart; a recording shorter than a window is repeated until it fills one. */
async function score(session: InferenceSession, samples: Float32Array): Promise<Scores> {
  const whole = new Float32Array(Math.max(samples.length, WINDOW)).map(
    (_, i) => samples[i % samples.length]!,
  );
  const sums = { signal: 0, background: 0, overall: 0 };
  let windows = 0;
  for (let offset = 0; offset + WINDOW <= whole.length; offset += HOP, windows++) {
    const input = new Tensor("float32", whole.slice(offset, offset + WINDOW), [1, WINDOW]);
    const output = await session.run({ [session.inputNames[0]!]: input });
    const [signal, background, overall] = output[session.outputNames[0]!]!.data as Float32Array;
    sums.signal += polynomial(SCORES.signal, signal!);
    sums.background += polynomial(SCORES.background, background!);
    sums.overall += polynomial(SCORES.overall, overall!);
  }
  return {
    signal: sums.signal / windows,
    background: sums.background / windows,
    overall: sums.overall / windows,
  };
}

const polynomial = (coefficients: number[], x: number) =>
  coefficients.reduce((sum, coefficient) => sum * x + coefficient, 0);
