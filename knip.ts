/** What knip starts from: the workers that the server names by URL, the web page and its audio worklet, and the tests. */
import type { KnipConfig } from "knip";
import { EMBEDDED_FAMILIES, FAMILY_NAMES, familyOf } from "./src/engine/families/families.ts";

const families = [
  ...FAMILY_NAMES.flatMap((family) => familyOf(family).worker ?? []),
  ...Object.values(EMBEDDED_FAMILIES).map(({ worker }) => worker),
];
const others = [
  "g2p/g2p",
  "ledger/{reader,writer}",
  "media/{decode,encode,encode-aac,wav}",
  "sandbox/confinement",
  "tts/plan",
  "vad/vad",
];

export default {
  entry: [
    ...[...families, ...others].map((worker) => `workers/${worker}.ts!`),
    "src/web/{main.tsx,playground/live/microphone.ts}!",
    "test/**/*.test.ts",
    "test/weights/measure.ts",
  ],
  project: ["src/**/*.{ts,tsx}!", "workers/**/*.ts!", "test/**/*.ts", "bench/**/*.ts"],
  ignoreDependencies: ["sentencex", "sherpa-onnx-node", "swagger-ui-dist", /^@livekit\//], // the last: test/tools.ts
} satisfies KnipConfig;
