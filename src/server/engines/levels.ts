/**
 * How loud the voices of an engine are without a gain, in LUFS. Of several figures for a voice the first counts:
 *
 *   `loudness` of its package's manifest        what an operator measured
 *   models/loudness/FAMILY.json                 published voices and embedded ones, over many texts: `npm run bench -- quality`
 *   what it spoke when it was installed         one text
 *   the median of its family                    for voices of embedded engines that are not in the file
 */
import { existsSync, readFileSync } from "node:fs";
import { percentile } from "../../api/management/handlers/latency.ts";
import type { Package } from "../../models/packages/package.ts";
import { readLoudness } from "../../models/store/measured-speeds.ts";
import { resource } from "../../resources.ts";
import type { Levels } from "../../speech/fit-task.ts";

type Figures = Record<string, number>;

/** By the engine's name of a voice; empty for a family of which no voice was measured. */
export function publishedLevels(family: string): Figures {
  const path = resource(`models/loudness/${family}.json`);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Figures) : {};
}

export function embeddedLevels(engine: string): Levels {
  const voices = publishedLevels(engine);
  return { voices, others: middleOf(voices) };
}

export function packageLevels(pkg: Package, weights: string): Levels {
  const published = publishedLevels(pkg.family);
  const spoken = readLoudness(weights, pkg);
  return {
    voices: { ...spoken, ...published, ...pkg.loudness },
    others: middleOf(pkg.loudness ?? {}) ?? middleOf(spoken) ?? middleOf(published),
  };
}

const middleOf = (figures: Figures): number | null =>
  percentile(
    Object.values(figures).toSorted((a, b) => a - b),
    0.5,
  );
