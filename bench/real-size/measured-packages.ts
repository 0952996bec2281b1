/** Which packages are measured in real size, and which have the size of one that is. */
import type { Package } from "../../src/models/packages/package.ts";
import { qualityOf } from "./graphs/vits.ts";

/**
 * One of each size of each family. Not in it: dictionaries and programs, which have no speed; what is measured with another package; and
 * models whose layers are not published, such as Canary's.
 */
const MEASURED = [
  "silero-vad",
  "smart-turn-v3",
  "3dspeaker-campplus-zh-en",
  "wespeaker-resnet34-lm",
  "piper-uk-lada",
  "piper-de-thorsten",
  "piper-uk-tetiana",
  "kokoro-82m",
  "kitten-nano",
  "kitten-mini",
  "supertonic-3",
  "pocket-tts-en-2026-01",
  "pocket-tts-fr",
  "moonshine-tiny-streaming",
  "moonshine-small-streaming",
  "moonshine-medium-streaming",
  "fastconformer-ru",
  "parakeet-tdt-0.6b-v3",
  "nemotron-3.5-streaming-160ms",
  "nemotron-3.5-streaming",
  "nemotron-en-streaming-80ms",
  "nemotron-en-streaming-1120ms",
  "whisper-tiny",
  "whisper-base",
  "whisper-small",
  "whisper-large-v3-turbo",
  "whisper-large-v3",
];

/** Of this file it is not published which weights are bytes, and no choice of layers follows from its size. */
const UNKNOWN = { name: "kitten-nano", variant: "int8" };

const PIPER = { low: "piper-uk-lada", medium: "piper-de-thorsten", high: "piper-uk-tetiana" };

/** The package whose measurement stands for this one: itself, or one of the same layers with another vocabulary. */
function measuredAs({ name, family, files }: Package): string {
  if (MEASURED.includes(name)) return name;
  if (family === "vits") return PIPER[qualityOf(files.find(({ role }) => role === "model")?.bytes ?? 0)];
  if (family === "pocket") return "pocket-tts-en-2026-01";
  if (name === "parakeet-tdt_ctc-110m") return name; // of another size, which no measurement has
  if (name.startsWith("parakeet-")) return "parakeet-tdt-0.6b-v3";
  return name.replace(/\.en$|-(de|es|ja|ar)$/, "").replace("nemotron-en-", "nemotron-3.5-");
}

/** All that a measurement of one package in one precision stands for. */
export function targetsLike({ pkg, variant }: Target, packages: ReadonlyMap<string, Package>): Target[] {
  const alike = [...packages.values()].filter(({ family }) => family === pkg.family);
  return alike
    .filter((other) => measuredAs(other) === pkg.name)
    .flatMap((other): Target[] => {
      const { cpu } = other.variants;
      if (cpu.length === 0)
        return variant === null || variant === "int8" ? [{ pkg: other, variant: null }] : [];
      const isOffered = variant !== null && cpu.includes(variant);
      return isOffered ? [{ pkg: other, variant }] : [];
    });
}

export type Target = { pkg: Package; variant: string | null };

/** In each precision for processors, the smallest package first. */
export function targetsOf(packages: ReadonlyMap<string, Package>): Target[] {
  return MEASURED.flatMap((name) => {
    const pkg = packages.get(name)!;
    const variants: (string | null)[] = pkg.variants.cpu.length > 0 ? pkg.variants.cpu : [null];
    const known = variants.filter((variant) => name !== UNKNOWN.name || variant !== UNKNOWN.variant);
    return known.map((variant) => ({ pkg, variant }));
  });
}
