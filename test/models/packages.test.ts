/** Promise: a package of the catalogue says exactly what is pulled: which commit, how many bytes, which content. */
import { expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { readPackages } from "../../src/models/packages/package.ts";
import { devicesOf, variantFor } from "../../src/models/packages/variants.ts";
import { requireLicense } from "../../src/models/store/license.ts";

const packages = [...readPackages(readConfig({}).models.folder).values()];
const known = (name: string) => packages.find((pkg) => pkg.name === name)!;

test("a hash or a size is known for the files of all recommended packages that anything is published of", () => {
  const recommended = packages.filter((pkg) => pkg.recommended && pkg.name !== "whisper-large-v3-turbo");
  const open = recommended.flatMap((pkg) =>
    pkg.files
      .filter(({ variant }) => variant === undefined || variant === variantFor(pkg, "cpu"))
      .filter(({ bytes, sha256 }) => bytes === null || sha256 === null)
      .map(({ path }) => `${pkg.name}: ${path}`),
  );
  expect(open).toEqual([]);
});

/** Of these no commit is published. */
const MOVING = [
  "canary-1b-v2",
  "pocket-tts-en-2026-01",
  "fastconformer-ru",
  "parakeet-ctc-0.6b",
  "parakeet-rnnt-0.6b",
  "pyannote-segmentation-3.0",
  "smart-turn-v3",
  "whisper-base.en",
  "whisper-large-v3",
  "whisper-medium",
  "whisper-medium.en",
  "whisper-small.en",
  "whisper-tiny.en",
  "kitten-micro",
  "kitten-nano",
  "nemotron-en-streaming-80ms",
  "nemotron-en-streaming-1120ms",
];

test("an address is a commit or a tag, unless none is published", () => {
  const moving = packages.filter(({ sources }) => /\/(main|master)\//.test(sources[0]!));
  expect(moving.map(({ name }) => name).filter((name) => !MOVING.includes(name))).toEqual([]);
});

test("Pocket TTS speaks six languages, of one commit, each with voices of its language", () => {
  const bundles = packages.filter(({ files }) => files.some(({ role }) => role === "bundle"));
  const spoken = bundles.map(({ name, voices }) => [
    name,
    [...new Set(voices!.map(({ id }) => id.slice(0, 2)))],
  ]);
  const languages = ["de", "en", "es", "fr", "it", "pt"];
  expect(spoken).toEqual(languages.map((language) => [`pocket-tts-${language}`, [language]]));
  expect(new Set(bundles.map(({ sources }) => sources[0]!.split("/onnx/")[0])).size).toBe(1);
});

test("one content has one hash, wherever it is named", () => {
  const sizes = new Map<string, number>();
  for (const { name, files } of packages)
    for (const { path, bytes, sha256 } of files) {
      if (sha256 === null || bytes === null) continue;
      expect([name, path, sizes.get(sha256) ?? bytes]).toEqual([name, path, bytes]);
      sizes.set(sha256, bytes);
    }
});

test("half precision that is known to fail is offered to no device", () => {
  const broken = ["kokoro-82m", "whisper-tiny", "whisper-base", "whisper-small"];
  for (const name of broken) expect(known(name).variants.gpu).toEqual(["fp32"]);
  expect(variantFor(known("whisper-tiny"), "cpu")).toBe("fp32");
  expect(variantFor(known("whisper-large-v3"), "gpu")).toBe("q8"); // it has nothing for a GPU
});

test("terms that restrict use, and terms that only a model card states, are to be accepted", () => {
  const refused = (name: string) => expect(() => requireLicense(known(name), false));
  refused("piper-ca-ona").toThrow("is under CC-BY-SA-3.0, which restricts its use");
  refused("piper-tr-dfki").toThrow("has the terms that its model card states: https://huggingface.co/");
  expect(() => requireLicense(known("piper-pl-gosia"), false)).not.toThrow();
});

test("a package runs on WebGPU only in a precision that is known to work there", () => {
  const installed = (name: string, variant: string | null) => {
    const pkg = known(name);
    return {
      ...pkg,
      files: pkg.files.filter((file) => file.variant === undefined || file.variant === variant),
    };
  };
  expect(devicesOf(installed("kokoro-82m", "fp32"), ["webgpu"])).toEqual(["webgpu"]);
  expect(devicesOf(installed("kokoro-82m", "q8"), ["webgpu"])).toEqual([]);
  expect(devicesOf(installed("parakeet-tdt-0.6b-v3", "int8"), ["webgpu"])).toEqual([]);
  expect(devicesOf(installed("nemotron-3.5-streaming", null), ["webgpu"])).toEqual([]);
  expect(devicesOf(installed("silero-vad", null), ["cuda", "webgpu"])).toEqual(["cuda"]);
});
