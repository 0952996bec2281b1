/** Which engines that need no package can run on this machine, and how to install what they lack. Loads none of them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { EMBEDDED_FAMILIES, missingProgram, programInstall } from "./families.ts";

/** `missing` null: ready. */
export type Readiness = { family: string; what: string; missing: string | null; how: string };

export function readiness(): Readiness[] {
  const embedded = Object.entries(EMBEDDED_FAMILIES).map(([family, { title, missing, install }]) => ({
    family,
    what: title,
    missing: missing(),
    how: install,
  }));
  return [...embedded, decoderReadiness()];
}

export function installedFamilies(): ReadonlySet<string> {
  return new Set(readiness().flatMap(({ family, missing }) => (missing === null ? [family] : [])));
}

function decoderReadiness(): Readiness {
  const what = "FFmpeg by node-av: uploads in more formats, and AAC (GPL, optional)";
  return { family: "decode", what, missing: missingProgram("ffmpeg"), how: programInstall("ffmpeg") };
}

const SILERO = join("silero-vad", "silero_vad.onnx");

/** Silero's file if it was placed among the weights by hand, or null. */
export function manualSilero(weights: string): string | null {
  const path = join(weights, SILERO);
  return existsSync(path) ? path : null;
}

/** `path`: Silero's file, or null. */
export function sileroReadiness(path: string | null): Readiness {
  const missing = path === null ? "the package silero-vad" : null;
  const how = "loquat models pull silero-vad; until then the WebRTC detector is used";
  return { family: "silero", what: "Silero: voice activity detection for live audio", missing, how };
}
