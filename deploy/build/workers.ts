/** The workers: every file that the server starts as a thread or a process, by its path below `workers/`. */
import { EMBEDDED_FAMILIES, FAMILY_NAMES, familyOf } from "../../src/engine/families/families.ts";

const OF_FAMILIES = [
  ...FAMILY_NAMES.flatMap((family) => familyOf(family).worker ?? []),
  ...Object.values(EMBEDDED_FAMILIES).map(({ worker }) => worker),
];

const OTHERS = [
  "documents/read-document",
  "g2p/g2p",
  "ledger/checkpoint",
  "ledger/reader",
  "ledger/writer",
  "media/decode",
  "media/decode-without-ffmpeg",
  "media/encode",
  "media/encode-aac",
  "media/wav",
  "sandbox/confinement",
  "tts/plan",
  "vad/vad",
];

export const WORKERS: string[] = [...OF_FAMILIES, ...OTHERS];
