/**
 * Whether all voices at hand are equally loud, and no peak of theirs is too high. Records what they are without a gain, for
 * the engines whose voices have the same names everywhere (`models/loudness`).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loudnessOf, truePeakOf } from "../../src/audio/loudness/integrated-loudness.ts";
import { TTS_SAMPLE_RATE } from "../../src/audio/rates.ts";
import { isEmbedded, type Voice } from "../../src/models/manifest.ts";
import { embeddedLevels, packageLevels } from "../../src/server/engines/levels.ts";
import type { Inference } from "../../src/server/inference.ts";
import { gainFor, TARGET_LUFS } from "../../src/speech/fit-task.ts";
import type { Row } from "../harness/row.ts";

const APART_MAX = 1.5; // LU
const PEAK_MAX = -1; // dBFS
/** Families of packages that name their voices. */
const NAMED = ["kokoro"];
const FIGURES = fileURLToPath(new URL("../../models/loudness/", import.meta.url));

type Loud = { lufs: number; peak: number };

export const loudOf = (clips: readonly Float32Array[]): Loud => ({
  lufs: loudnessOf(clips, TTS_SAMPLE_RATE),
  peak: Math.max(...clips.map((clip) => truePeakOf(clip, TTS_SAMPLE_RATE))),
});

export function loudnessRows(name: string, { lufs, peak }: Loud): Row[] {
  return [
    { name: `loudness, ${name}`, value: lufs, unit: "LUFS" },
    {
      name: `from the target of ${TARGET_LUFS} LUFS, ${name}`,
      value: Math.abs(lufs - TARGET_LUFS),
      unit: "LU",
      target: `at most ${APART_MAX}`,
    },
    { name: `highest peak, ${name}`, value: peak, unit: "dBFS", target: `at most ${PEAK_MAX}` },
  ];
}

type Measured = { voice: Voice; lufs: number };

export function recordLoudness({ store }: Inference, weights: string, measured: readonly Measured[]): void {
  for (const { voice, lufs } of measured) {
    const pkg = isEmbedded(voice.engine) ? null : store.installed(voice.engine)!.package;
    const family = pkg?.family ?? voice.engine;
    if (pkg && !NAMED.includes(family)) continue;
    const levels = pkg ? packageLevels(pkg, weights) : embeddedLevels(voice.engine);
    const natural = lufs - 20 * Math.log10(gainFor(voice, levels));
    const path = `${FIGURES}${family}.json`;
    const recorded = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
    const figures = { ...recorded, [voice.speaker]: Number(natural.toFixed(1)) };
    writeFileSync(path, `${JSON.stringify(figures, null, 2)}\n`);
  }
}
