/**
 * Promise: every family refuses another family's graph by name at start, and reports that to its callers; a valid one
 * runs. (`loquat models check` checks installed packages in the same way.)
 */
import { afterAll, describe, expect, test } from "bun:test";
import type { Family } from "../../../src/engine/families/families.ts";
import { soleClaim } from "../../../src/engine/runner.ts";
import { recognize } from "../../../src/transcription/recognize.ts";
import { nemoContents, nemoCtc, nemoEncoder, nemoOptions } from "../../../testing/packages/families/nemo.ts";
import { nemoDecoder } from "../../../testing/packages/families/nemo-search.ts";
import { STREAMING, streamingContents } from "../../../testing/packages/families/nemo-streaming.ts";
import {
  kokoroContents,
  kokoroDurations,
  piperContents,
  supertonicContents,
} from "../../../testing/packages/families/voices.ts";
import { whisperContents } from "../../../testing/packages/families/whisper.ts";
import { type Contents, openTestStore } from "../../../testing/packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const speech = { text: "Hello.", language: "en-US", speed: 1, kind: "synthesis" as const, instructions: "" };
const speak = (name: string, speaker: string) =>
  store.registry.engine(name).run({ ...speech, speaker }, soleClaim());
const hearNoise = (name: string) => {
  const samples = Float32Array.from({ length: 16_000 }, (_, at) => 0.1 * Math.sin(at));
  const spans = [{ start: 0, end: samples.length }];
  return Array.fromAsync(
    recognize(store.registry.engine(name), {
      samples,
      spans,
      language: "en",
      prompt: "",
      claim: soleClaim(),
    }),
  );
};

/** The contents with the bytes of one role put in the place of another's. */
const swapped = (contents: Contents, role: string, bytes: Uint8Array): Contents => ({
  ...contents,
  [role]: { ...contents[role]!, bytes },
});

type Case = {
  options?: object;
  right: Contents;
  wrong: Contents;
  expected: string;
  run: (name: string) => Promise<unknown>;
};

const wrong = supertonicContents();
const CASES: [name: string, family: Family, Case][] = [
  [
    "kokoro",
    "kokoro",
    {
      right: kokoroContents(),
      wrong: swapped(kokoroContents(), "model", kokoroDurations()),
      expected: "it has no output waveform or audio",
      run: (name) => speak(name, "af_heart"),
    },
  ],
  [
    "piper",
    "vits",
    {
      right: piperContents(),
      wrong: swapped(piperContents(), "model", kokoroDurations()),
      expected: "it has no input input",
      run: (name) => speak(name, "0"),
    },
  ],
  [
    "supertonic",
    "supertonic",
    {
      options: { steps: 1, pace: 1 },
      right: supertonicContents(),
      wrong: swapped(wrong, "vocoder", wrong.encoder!.bytes as Uint8Array),
      expected: "it has no input latent",
      run: (name) => speak(name, "F1"),
    },
  ],
  [
    "ctc",
    "nemo",
    {
      options: nemoOptions("ctc"),
      right: nemoContents.ctc(),
      wrong: swapped(nemoContents.ctc(), "encoder", nemoEncoder()),
      expected: "it has no output logprobs",
      run: hearNoise,
    },
  ],
  [
    "tdt",
    "nemo",
    {
      options: nemoOptions("tdt", 5),
      right: nemoContents.joint({ durations: 5 }),
      wrong: swapped(nemoContents.joint({ durations: 5 }), "joint", nemoDecoder()),
      expected: "it has no input encoder_outputs",
      run: hearNoise,
    },
  ],
  [
    "rnnt of other features",
    "nemo",
    {
      options: nemoOptions("rnnt"),
      right: nemoContents.split(),
      wrong: swapped(nemoContents.split(), "encoder", nemoEncoder({ mels: 128 })),
      expected: "input audio_signal is float32 [?, 128, ?], not float32 [?, 80, ?]",
      run: hearNoise,
    },
  ],
  [
    "streaming",
    "nemo-streaming",
    {
      options: STREAMING,
      right: streamingContents(),
      wrong: swapped(streamingContents(), "encoder", nemoCtc()),
      expected: "it has no input cache_last_channel",
      run: hearNoise,
    },
  ],
  [
    "whisper",
    "whisper",
    {
      right: whisperContents(),
      wrong: swapped(whisperContents(), "encoder", nemoEncoder()),
      expected: "it has no input input_features",
      run: hearNoise,
    },
  ],
];

describe.each(CASES)("an engine of %s", (name, family, { options = {}, right, wrong, expected, run }) => {
  test("runs with a valid graph", async () => {
    store.add(`${name}-right`.replaceAll(" ", "-"), family, { options, contents: right });
    await run(`${name}-right`.replaceAll(" ", "-"));
  });

  test("refuses a graph of another family by name", async () => {
    store.add(`${name}-wrong`.replaceAll(" ", "-"), family, { options, contents: wrong });
    const failure = await run(`${name}-wrong`.replaceAll(" ", "-")).then(
      () => null,
      (error) => error as Error,
    );
    expect(String(failure?.message) + String((failure?.cause as Error)?.message)).toContain(expected);
  });
});
