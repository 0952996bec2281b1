/** Promise: a package of the catalogue says exactly what is pulled: which commit, how many bytes, which content. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { type Package, type PackageFile, readPackages } from "../../src/models/packages/package.ts";
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

const addressesOf = ({ sources }: Package, { url }: PackageFile): string[] => (url ? [url].flat() : sources);
const namesOf = (isOne: (pkg: Package, file: PackageFile) => boolean): string[] =>
  packages.filter((pkg) => pkg.files.some((file) => isOne(pkg, file))).map(({ name }) => name);

test("every address is a commit or a tag, but of these, of which no commit is published", () => {
  const isMoving = (url: string) => /\/(main|master)\//.test(url);
  expect(namesOf((pkg, file) => addressesOf(pkg, file).some(isMoving))).toEqual([
    "whisper-base.en",
    "whisper-large-v3",
  ]);
});

test("nothing has an owner that no longer exists as its only source", () => {
  const supertonic = known("supertonic-3");
  const owners = supertonic.sources.map((source) => new URL(source).pathname.split("/")[1]);
  expect(owners).toEqual(["supertone-oss-archive", "jiangzhuo9357", "Supertone"]);
  expect(supertonic.files.filter(({ sha256 }) => sha256 === null)).toEqual([]);
  expect(supertonic.license.url).toContain("/supertone-oss-archive/");
});

/** A package is added here where no second place is known that publishes the same bytes. */
const ONE_SOURCE =
  "3dspeaker-campplus-zh-en 3dspeaker-eres2net-zh canary-180m-flash canary-1b-v2 espeak-ng " +
  "fastconformer-ru ffmpeg kitten-micro kitten-mini kitten-nano kokoro-82m misaki-en " +
  "moonshine-small-streaming-de moonshine-small-streaming-es moonshine-small-streaming-ja " +
  "moonshine-tiny-streaming-ar moonshine-tiny-streaming-de moonshine-tiny-streaming-es " +
  "moonshine-tiny-streaming-ja nemotron-3.5-streaming-160ms nemotron-3.5-streaming " +
  "nemotron-en-streaming-1120ms nemotron-en-streaming-160ms nemotron-en-streaming-80ms " +
  "nemotron-en-streaming parakeet-primeline parakeet-tdt-0.6b-v2 parakeet-tdt-0.6b-v3 " +
  "parakeet-tdt_ctc-110m parakeet-ultra piper-ar-kareem piper-bg-dimitar piper-cy-bu " +
  "piper-el-rapunzelina piper-en-cori piper-en-joe piper-en-ljspeech piper-eu-antton piper-eu-maider " +
  "piper-fa-amir piper-fr-tom piper-hu-imre piper-id-news piper-lv-aivars piper-ml-meera " +
  "piper-ne-chitwan piper-nl-alex piper-sl-artur piper-sq-edon piper-sv-alma piper-te-maya " +
  "piper-uk-tetiana pocket-tts-de pocket-tts-en-2026-01 pocket-tts-en pocket-tts-es pocket-tts-fr " +
  "pocket-tts-it pocket-tts-pt pyannote-segmentation-3.0 wespeaker-resnet34-lm whisper-base.en " +
  "whisper-base whisper-large-v3-turbo whisper-large-v3 whisper-small whisper-tiny.en whisper-tiny";

test("files have a second source, but of packages that are listed", () => {
  expect(namesOf((pkg, file) => addressesOf(pkg, file).length < 2)).toEqual(ONE_SOURCE.split(/\s+/));
});

/** Their hashes are those of the first download. */
const UNKNOWN_HASHES =
  "3dspeaker-eres2net-zh fastconformer-ru moonshine-small-streaming-de moonshine-small-streaming " +
  "moonshine-tiny-streaming-ar moonshine-tiny-streaming-de moonshine-tiny-streaming-ja " +
  "moonshine-tiny-streaming parakeet-primeline parakeet-tdt_ctc-110m piper-bg-dimitar piper-eu-antton " +
  "piper-eu-maider piper-nl-alex piper-sq-edon piper-sv-alma piper-uk-lada pocket-tts-de " +
  "pocket-tts-es pocket-tts-fr pocket-tts-pt whisper-base.en whisper-large-v3-turbo whisper-large-v3 " +
  "whisper-small whisper-tiny.en whisper-tiny";

test("hashes are known, but of packages that are listed", () => {
  expect(namesOf((_, { sha256 }) => sha256 === null)).toEqual(UNKNOWN_HASHES.split(/\s+/));
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

test("the file of a package is read once, and again once it has changed", () => {
  const folder = mkdtempSync(join(tmpdir(), "loquat-packages-"));
  try {
    const path = join(folder, "packages", "mine.json");
    mkdirSync(join(folder, "packages"));
    const write = (name: string) => writeFileSync(path, JSON.stringify({ ...known("kokoro-82m"), name }));
    const read = () => [...readPackages(folder).values()];
    write("mine");
    expect(read()[0]!.name).toBe("mine");
    expect(read()[0]).toBe(read()[0]!);
    write("another");
    expect(read()[0]!.name).toBe("another");
    rmSync(path);
    expect(read()).toEqual([]);
    write("mine");
    expect(read()[0]!.name).toBe("mine");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
