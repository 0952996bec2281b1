/**
 * Packages that the catalogue had: an installed one goes on as it is, and where it is not installed another one is taken
 * in its place.
 */
const SUCCESSORS: Record<string, string> = {
  "parakeet-ctc-0.6b": "parakeet-tdt-0.6b-v2",
  "parakeet-rnnt-0.6b": "parakeet-tdt-0.6b-v2",
  "whisper-small.en": "whisper-small",
  "whisper-medium": "whisper-large-v3-turbo",
  "whisper-medium.en": "whisper-large-v3-turbo",
};

/** Null where the catalogue never had the package, or still has it. */
export const successorOf = (name: string): string | null =>
  Object.hasOwn(SUCCESSORS, name) ? SUCCESSORS[name]! : null;
