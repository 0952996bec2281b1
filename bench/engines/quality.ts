/** The sound quality of the voices, by DNSMOS, beside that of people. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config.ts";
import { soleClaim } from "../../src/engine/claim.ts";
import { type Inference, openInference } from "../../src/server/inference.ts";
import { readerOf } from "../../src/speech/pronounceable.ts";
import { renderWhole } from "../../src/speech/synthesizer.ts";
import { median, type Row } from "../harness/row.ts";
import { textOf } from "../harness/texts.ts";
import { openDnsmos, type Scores } from "./dnsmos.ts";

const SHARED = fileURLToPath(new URL("../../../shared", import.meta.url));
const HUMANS = join(SHARED, "audio/speech-en");
export async function benchQuality(): Promise<Row[]> {
  const score = await openDnsmos();
  if (!score) return [{ name: "DNSMOS: its model is not here", value: 0, unit: "runs" }];
  await using engines = openInference(readConfig());
  const rows: Row[] = [];
  const humans: Scores[] = [];
  for (const name of readdirSync(HUMANS).filter((name) => name.endsWith(".wav"))) {
    humans.push(await score(await samplesOf(engines, readFileSync(join(HUMANS, name)))));
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
      const { body } = await renderWhole(engines.synthesizer, utterance, { format: "wav" });
      const bytes = Buffer.concat(await Array.fromAsync(body.chunks()));
      scores.push(await score(await samplesOf(engines, bytes)));
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
