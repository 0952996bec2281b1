/** Promise: damaged JSON of an installed package is an error that names the file and the field, at once and in little memory. */
import { afterAll, expect, test } from "bun:test";
import type { Family } from "../../src/engine/families/families.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { kittenContents } from "../../testing/packages/families/kitten.ts";
import { moonshineContents } from "../../testing/packages/families/moonshine.ts";
import { oldPocketContents, pocketContents } from "../../testing/packages/families/pocket.ts";
import { piperContents, supertonicContents } from "../../testing/packages/families/voices.ts";
import { whisperContents } from "../../testing/packages/families/whisper.ts";
import { type Contents, openTestStore } from "../../testing/packages/model-store.ts";

const store = openTestStore();
afterAll(() => store[Symbol.asyncDispose]());

const FAMILIES: Record<
  string,
  { family: Family; contents: () => Contents | Promise<Contents>; options?: object }
> = {
  piper: { family: "vits", contents: piperContents },
  supertonic: { family: "supertonic", contents: () => supertonicContents(), options: { steps: 1, pace: 1 } },
  kitten: { family: "kitten", contents: kittenContents },
  pocket: { family: "pocket", contents: () => pocketContents(), options: { steps: 1, temperature: 0.7 } },
  "an old pocket": {
    family: "pocket",
    contents: () => oldPocketContents(),
    options: { steps: 1, temperature: 0.7 },
  },
  whisper: { family: "whisper", contents: () => whisperContents() },
  moonshine: { family: "moonshine", contents: () => moonshineContents() },
};

/** As much of a task as an engine reads before it is started. */
const TASK = {
  ...{
    text: "Hello.",
    phonemes: "hello.",
    language: "en",
    speaker: "0",
    speed: 1,
    kind: "synthesis" as const,
    instructions: "",
  },
  samples: new Float32Array(16_000),
};

let count = 0;

/** What the engine of a package says whose file of a role is another. */
async function failureOf(name: string, role: string, damage: (text: string) => string): Promise<string> {
  const { family, contents, options = {} } = FAMILIES[name]!;
  const whole = await contents();
  const damaged = { ...whole[role]!, bytes: damage(String(whole[role]!.bytes)) };
  const id = `damaged-${count++}`;
  store.add(id, family, { contents: { ...whole, [role]: damaged }, options });
  return store.registry
    .engine(id)
    .run(TASK, soleClaim())
    .then(
      () => "no failure",
      (error: Error) => error.message,
    );
}

/** The same file with another value at a path with dots. */
const set = (path: string, value: string) => (text: string) => {
  const whole = JSON.parse(text);
  const names = path.split(".");
  const last = names.pop()!;
  names.reduce((at, name) => at[name], whole)[last] = "HERE";
  return JSON.stringify(whole).replace('"HERE"', value);
};

test.each([
  ["piper", "config", "audio.sample_rate", '"x"'],
  ["piper", "config", "audio.sample_rate", "1e9"],
  ["piper", "config", "inference.length_scale", "1e999"],
  ["piper", "config", "phoneme_id_map.e", "[1e30]"],
  ["piper", "config", "espeak", "null"],
  ["supertonic", "settings", "ae.sample_rate", "1e15"],
  ["supertonic", "settings", "ttl.latent_dim", "1e9"],
  ["supertonic", "indexer", "65", '"a"'],
  ["supertonic", "voice-F1", "style_ttl.data", '"x"'],
  ["kitten", "settings", "speed_priors", '{"a": 1e-30}'],
  ["pocket", "bundle", "latent_dim", "1e12"],
  ["pocket", "bundle", "sample_rate", '"x"'],
  ["an old pocket", "vocabulary", "a", "[]"],
  ["whisper", "config", "decoder_layers", "1e8"],
  ["whisper", "config", "num_mel_bins", "1000000"],
  ["whisper", "config", "max_target_positions", "-5"],
  ["whisper", "generation", "suppress_tokens", "5"],
  ["whisper", "generation", "alignment_heads", "[[-1]]"],
  ["whisper", "tokenizer", "model.vocab", '{"a": 4e9}'],
  ["moonshine", "config", "depth", "100000000"],
])("%s: %s with %s = %s is refused", async (name, role, path, value) => {
  const failure = await failureOf(name, role, set(path, value));
  expect(failure).toMatch(/^\/.+\.json: /);
  expect(failure).toContain(path);
});

const DAMAGES: [string, (text: string) => string, RegExp][] = [
  ["is cut", (text) => text.slice(0, text.length >> 1), /\.json: is not JSON/],
  ["is empty", () => "", /\.json: is not JSON/],
  ["is null", () => "null", /\.json: the file must be an? (object|array)/],
  ["is deep", () => `{"a":${"[".repeat(1_000_000)}`, /\.json: is nested deeper than 32/],
  ["has 17 MB", (text) => text + " ".repeat(17_000_000), /\.json: has 17\d+ bytes, more than 16777216/],
];

const FILES: [string, string][] = [
  ["piper", "config"],
  ["supertonic", "voice-F1"],
  ["an old pocket", "scores"],
  ["moonshine", "config"],
];

test.each(FILES.flatMap(([name, role]) => DAMAGES.map((damage) => [name, role, ...damage] as const)))(
  "%s: a file %s that %s is refused",
  async (name, role, _, damage, message) => {
    expect(await failureOf(name, role, damage)).toMatch(message);
  },
);
