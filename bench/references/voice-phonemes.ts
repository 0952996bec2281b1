/** The phonemes of the texts, beside those of the reference: Piper's asked of it now, Kokoro's as misaki gave them once. */
import { soleClaim } from "../../src/engine/runner.ts";
import type { Inference } from "../../src/server/inference.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { ASKED, compare, REFERENCES } from "../../test/workers/g2p/references.ts";
import type { Row } from "../harness/row.ts";
import { VOICE_TEXTS } from "../harness/voice-texts.ts";
import type { VoiceModel } from "./voice-models.ts";
import type { VoicePeer } from "./voice-peer.ts";

export async function phonemeRows(
  { name, reference }: VoiceModel,
  { registry }: Inference,
  peer: VoicePeer,
): Promise<Row[]> {
  const segments = VOICE_TEXTS.flatMap((text) => planSpeech(text, "en-US").map((segment) => segment.text));
  const recorded = new Map(REFERENCES.map((each) => [each.text, each[reference]]));
  const unlisted: string[] = [];
  let [words, differing] = [0, 0];
  for (const text of segments) {
    const here = await registry.engine("phonemes").run({ text, ...ASKED[reference] }, soleClaim());
    const there = reference === "piper" ? await peer.phonemes(text) : recorded.get(text);
    const compared = compare(reference, { text, here, there: there ?? "" });
    words += compared.words;
    differing += compared.differing;
    unlisted.push(...compared.unlisted);
  }
  return [
    {
      name: `${name}: words of ${words} that have the reference's phonemes`,
      value: words - differing,
      unit: "",
    },
    {
      name: `${name}: words that differ without a listed reason`,
      value: unlisted.length,
      unit: "",
      target: "at most 0",
    },
    ...unlisted.map((each) => ({ name: `  ${each}`, value: 1, unit: "word" })),
  ];
}
