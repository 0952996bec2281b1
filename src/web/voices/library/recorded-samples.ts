/** Samples of voices that may not be installed, by package: each was spoken by its package with the published weights. */
import joe from "./piper-en-joe.ogg";

const SAMPLES: Record<string, string> = { "piper-en-joe": joe };

/** The address of the clip; null where none was recorded. */
export function recordedSample(name: string): string | null {
  const file = SAMPLES[name];
  return file === undefined ? null : new URL(file, import.meta.url).href;
}
