/** Promise: a model of one's own is added by its path, tried before it is installed, kept among the weights, and spoken. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "../../src/config/config.ts";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { packagesOf } from "../../src/natives/store-layout.ts";
import { kokoroOnnxFiles, piperFiles, whisperFiles, writeFiles } from "../../testing/packages/local-files.ts";
import { packageOf } from "../../testing/packages/model-store.ts";
import { realWeights, unlessReal } from "../../testing/packages/real-weights.ts";
import { writeWhisper } from "../../testing/packages/whisper-weights.ts";
import { until } from "../until.ts";
import { openCli } from "./process.ts";

const unless = unlessReal("whisper");
const cli = openCli();
afterAll(() => cli[Symbol.dispose]());

const weights = join(cli.folder, "weights");
const environment = { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" };
const run = (...args: string[]) => cli.runInTurn(["models", ...args], environment);
const installed = () =>
  existsSync(packagesOf(weights))
    ? readdirSync(packagesOf(weights)).filter((name) => name.endsWith(".json"))
    : [];
const speaks = installedFamilies().has("espeak");

beforeAll(() => {
  writeFiles(join(cli.folder, "piper"), { ...piperFiles(), MODEL_CARD: "* License: CC0\n" });
  writeFiles(join(cli.folder, "kokoro"), kokoroOnnxFiles(["af_heart", "jf_alpha"]));
  writeFiles(join(cli.folder, "whisper"), whisperFiles());
});

test("what the files do not say is asked for by the option that answers it", async () => {
  const unlicensed = await run("add", "kokoro");
  expect(unlicensed.code).toBe(2);
  expect(unlicensed.err).toContain("Name it with --license, such as --license CC-BY-4.0");
  writeFiles(join(cli.folder, "unnamed"), piperFiles({ espeak: { voice: "mb-de-2" } }, "voice"));
  const unknown = await run("add", "unnamed");
  expect(unknown.code).toBe(2);
  for (const option of ["--license CC-BY-4.0", "--language en-US"])
    expect(unknown.err).toContain(`such as ${option}.`);
  const speechless = await run("add", "unnamed", "--license", "MIT");
  expect(speechless.code).toBe(2);
  expect(speechless.err).toContain("Name it with --language, such as --language en-US");
  expect((await run("add", "piper", "--license", "my own")).err).toContain("SPDX");
  expect(installed()).toEqual([]);
});

describe.skipIf(!speaks)(`voices${speaks ? "" : " (skipped: eSpeak NG is not installed)"}`, () => {
  test("a Piper voice is added, says what speaks with it, and is checked", async () => {
    const added = await run("add", "piper/de_DE-tiny-medium.onnx.json", "--sample", "sample.wav");
    expect(added).toMatchObject({
      code: 0,
      err: expect.stringContaining("MODEL_CARD states the licence CC0-1.0"),
    });
    expect(added.out).toMatch(/^installed {2}own-de_de-tiny-medium \d{4}-\d\d-\d\d, /m);
    expect(added.out).toContain("voices     svc-tts1: tiny (de-DE)\n");
    expect(added.out).toContain('hear it    loquat speak "1, 2, 3." --voice tiny');
    expect(readFileSync(join(cli.folder, "sample.wav")).length).toBeGreaterThan(20_000);
    const checked = await run("check");
    expect(checked).toMatchObject({
      code: 0,
      out: "ok       own-de_de-tiny-medium (runs; not a published package)\n",
    });
    expect((await run("info", "own-de_de-tiny-medium")).out).toContain("from       files on this machine");
    expect((await run("list")).out).toMatch(/^own-de_de-tiny-medium +\d/m);
    expect(await run("pull", "own-de_de-tiny-medium")).toMatchObject({
      code: 1,
      err: expect.stringContaining("loquat models add PATH"),
    });
  }, 120_000);

  test("Kokoro is added beside a running server, which speaks with it at once", async () => {
    const server = await cli.serve({ ...environment, LOQUAT_PLAN: "unmetered" });
    const added = await run("add", "kokoro", "--license", "Apache-2.0", "--name", "mine");
    expect(added).toMatchObject({ code: 0, err: expect.stringContaining("Left out: jf_alpha. Japanese") });
    expect(added.out).toContain("voices     svc-tts1: af_heart (en-US)\n");
    const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({
      model: "svc-tts1",
      input: "Hello.",
      voice: "af_heart",
      response_format: "wav",
    });
    const speak = () => fetch(`${server.url}/v1/audio/speech`, { method: "POST", headers, body });
    let answer = await until(async () => {
      const answer = await speak();
      return answer.status !== 404 && answer; // once the server has looked
    }, 50);
    expect(answer.status).toBe(200);
    expect((await answer.clone().arrayBuffer()).byteLength).toBeGreaterThan(5000);
    expect((await run("rm", "mine")).code).toBe(0);
    const statuses = new Set<number>();
    await until(async () => {
      answer = await speak();
      statuses.add(answer.status);
      return answer.status === 404; // once it has looked again
    }, 50);
    expect([...statuses].filter((status) => ![200, 404, 503].includes(status))).toEqual([]);
    expect(await answer.json()).toMatchObject({ error: { code: "invalid_voice" } });
    expect(await server.stop()).toBe(0);
  }, 120_000);

  test("what is not installed over, and what does not run, changes nothing", async () => {
    const before = installed();
    expect(before).toEqual(["own-de_de-tiny-medium.json"]);
    const again = await run("add", "piper");
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining("loquat models rm own-de_de-tiny-medium"),
    });
    expect(await run("add", "piper", "--name", "kokoro-82m")).toMatchObject({
      code: 2,
      err: expect.stringContaining("kokoro-82m is a package of the catalogue"),
    });
    const half = { ...piperFiles(), "de_DE-tiny-medium.onnx": otherType() };
    writeFiles(join(cli.folder, "half"), half);
    const refused = await run("add", "half", "--license", "MIT", "--name", "half");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain(
      "half cannot run: de_DE-tiny-medium.onnx: input scales is float16, published: float32",
    );
    expect(installed()).toEqual(before);
    expect(readdirSync(join(weights, "incoming"))).toEqual([]);
    expect((await run("verify")).code).toBe(0);
  }, 120_000);

  test("a voice whose name another has gets the name of its package too", async () => {
    const added = await run("add", "piper", "--name", "second", "--language", "de-AT");
    expect(added.out).toContain("voices     svc-tts1: second-tiny (de-AT)\n");
  }, 120_000);
});

test.skipIf(unless !== "")(
  `Whisper is added by its folder where it recognizes what is spoken${unless}`,
  async () => {
    const folder = join(cli.folder, "whisper-tiny.en");
    mkdirSync(folder);
    writeWhisper(realWeights("whisper")!, folder);
    const added = await run("add", "whisper-tiny.en", "--license", "MIT", "--name", "mine");
    expect(added).toMatchObject({
      code: 0,
      out: expect.stringContaining("languages  svc-stt1: en\n"),
      err: expect.stringMatching(/^mine runs at [\d.]+ times real time on this machine$/m),
    });
    expect((await run("check", "mine")).out).toBe("ok       mine (runs; not a published package)\n");
    const strange = await run("add", "whisper", "--license", "MIT");
    expect(strange).toMatchObject({
      code: 1,
      out: "",
      err: expect.stringMatching(/own-whisper cannot run: it recognized .* Nothing was changed\.$/m),
    });
    expect(installed()).toContain("mine.json");
    expect(installed()).not.toContain("own-whisper.json");
  },
  120_000,
);

const dictionaries = fileURLToPath(new URL("../../../shared/models/misaki", import.meta.url));
const unlessThere = existsSync(dictionaries) ? "" : " (skipped: the dictionaries are not here)";

test.skipIf(unlessThere !== "")(
  `the dictionaries of English are added by their folder${unlessThere}`,
  async () => {
    const added = await run("add", dictionaries);
    expect(added).toMatchObject({
      code: 0,
      err: expect.stringContaining("the files of misaki-en"),
      out: expect.stringMatching(/^installed {2}misaki-en \d{4}-\d\d-\d\d, 13 MB$/m),
    });
    expect((await run("check", "misaki-en")).code).toBe(0);
  },
  60_000,
);

test("a manifest that was added is kept among the weights, and one that lies in the catalogue is still read", async () => {
  const models = join(cli.folder, "models");
  cpSync(readConfig({}).models.folder, models, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(models, "packages", "silero-vad.json"), "utf8"));
  const added = { ...environment, LOQUAT_MODELS: models };
  writeFileSync(join(cli.folder, "mine.json"), JSON.stringify({ ...manifest, name: "mine-vad" }));
  writeFileSync(join(models, "packages", "earlier.json"), JSON.stringify({ ...manifest, name: "earlier" }));
  const inCatalogue = readdirSync(join(models, "packages"));
  expect((await cli.run(["models", "add", "mine.json"], added)).code).toBe(0);
  expect(readdirSync(join(models, "packages"))).toEqual(inCatalogue);
  rmSync(models, { recursive: true });
  cpSync(readConfig({}).models.folder, models, { recursive: true }); // an upgrade
  const names = async () =>
    JSON.parse((await cli.run(["models", "list", "--json"], added)).out).packages.map(
      ({ name }: { name: string }) => name,
    );
  expect(await names()).toContain("mine-vad");
  writeFileSync(join(models, "packages", "earlier.json"), JSON.stringify({ ...manifest, name: "earlier" }));
  expect(await names()).toContain("earlier");
}, 120_000);

test("the step that is printed after a manifest was added installs the package", async () => {
  const folder = join(cli.folder, "with manifest");
  const files = { "model.onnx": Buffer.from("of no model") };
  writeFiles(folder, files);
  const pkg = packageOf("own-part", "pyannote", {
    contents: { "some model": { path: "model.onnx", bytes: files["model.onnx"] } },
  });
  const add = async (change: Partial<Package>, at = folder) => {
    const name = `${pkg.name}-${++count}`;
    writeFileSync(join(at, "own.json"), JSON.stringify({ ...pkg, name, ...change }));
    const { out } = await run("add", join(at, "own.json"));
    rmSync(join(at, "own.json"));
    return { name, command: /(?<=nstall with: ).*$/m.exec(out)?.[0] ?? out, out };
  };
  let count = 0;
  const beside = await add({});
  expect(beside.command).toBe(`loquat models import '${folder}' --as ${beside.name}`);
  expect((await run("import", folder, "--as", beside.name)).code).toBe(0);
  const published = await add({}, cli.folder);
  expect(published.command).toBe(`loquat models pull ${published.name}`);
  const unpublished = await add({ sources: [] }, cli.folder);
  expect(unpublished.command).toBe(`loquat models import DIR --as ${unpublished.name}`);
  const restricted = await add({ license: { ...pkg.license, acceptance: true } });
  expect(restricted.out).toContain("Its licence restricts use: https://example.org/license.");
  expect(restricted.command).toBe(
    `loquat models import '${folder}' --as ${restricted.name} --accept-license`,
  );
}, 120_000);

test("a manifest of a voice that nothing reads is refused", async () => {
  const manifest = JSON.parse(
    readFileSync(join(readConfig({}).models.folder, "packages", "piper-de-thorsten.json"), "utf8"),
  );
  const [voice] = manifest.voices;
  const japanese = {
    ...manifest,
    name: "piper-ja",
    voices: [{ ...voice, id: "ja", language: "ja", locale: "ja" }],
  };
  writeFileSync(join(cli.folder, "ja.json"), JSON.stringify(japanese));
  expect(await run("add", "ja.json")).toMatchObject({
    code: 1,
    err: expect.stringContaining("Japanese needs a dictionary"),
  });
});

/** A graph whose scales are halves. */
function otherType(): Uint8Array {
  const graph = Buffer.from(piperFiles()["de_DE-tiny-medium.onnx"] as Uint8Array);
  const at = graph.lastIndexOf("scales");
  const type = graph.indexOf(Buffer.from([0x08, 0x01]), at);
  graph[type + 1] = 10;
  return graph;
}
