/** Promise: one command each installs, shows, checks, moves and removes models, and a running server follows. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { kokoroContents, piperContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { openHub } from "../models/pull/hub.ts";
import { until } from "../until.ts";
import { openCli } from "./process.ts";

const cli = openCli();
const contents = kokoroContents();
const hub = openHub(
  Object.fromEntries(Object.values(contents).map(({ path, bytes }) => [`kokoro/${path}`, bytes])),
);
afterAll(() => {
  cli[Symbol.dispose]();
  hub[Symbol.dispose]();
});

const MODELS = join(cli.folder, "models");
const environment = {
  LOQUAT_MODELS: MODELS,
  LOQUAT_WEIGHTS: join(cli.folder, "weights"),
  LOQUAT_THREADS: "2",
};
const run = (...args: string[]) => cli.runInTurn(["models", ...args], environment);

/** The shipped catalogue, with a tiny Kokoro from a local hub: its hashes are unknown, and one licence needs acceptance. */
beforeAll(() => {
  cpSync(readConfig({}).models.folder, MODELS, { recursive: true });
  const { durations: _, ...pulled } = contents; // derived from the model when it is installed
  const pkg: Package = packageOf("kokoro-82m", "kokoro", { contents: pulled });
  pkg.sources = [`${hub.url}/kokoro/`];
  for (const file of pkg.files) Object.assign(file, { sha256: null, bytes: null });
  const write = (each: Package) =>
    writeFileSync(join(MODELS, "packages", `${each.name}.json`), JSON.stringify(each));
  write(pkg);
  write({ ...pkg, name: "asking", license: { ...pkg.license, spdx: "OpenRAIL-M", acceptance: true } });
});

test("a package pulled while a server runs replaces the built-in voices there", async () => {
  const server = await cli.serve(environment);
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const version = async () => {
    const answer = await fetch(`${server.url}/v1/models/svc-tts1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return ((await answer.json()) as { public_version: string }).public_version;
  };
  expect(await version()).toBe("2026-11-01");

  const pulled = await run("pull", "kokoro-82m");
  expect(pulled).toMatchObject({ code: 0, out: "installed  kokoro-82m 2026-01-01\n" });
  expect(pulled.err).toContain("MIT, a test: https://example.org/license");
  expect(pulled.err).toMatch(
    /size unknown[\s\S]* [\d.]+ MB, as its source declares\n[\s\S]*100 % of [\d.]+ MB/,
  );
  expect(pulled.err).toMatch(/^kokoro-82m runs at [\d.]+ times real time on this machine$/m);
  await until(async () => (await version()) === "2026-11-22");
  expect(await server.stop()).toBe(0);

  const { packages, data } = JSON.parse((await run("list", "--json")).out);
  expect(packages).toContainEqual(
    expect.objectContaining({
      ...{ name: "kokoro-82m", installed: "2026-01-01", family: "kokoro" },
      speed: expect.any(Number),
    }),
  );
  expect(data).toContainEqual(expect.objectContaining({ id: "svc-tts1", public_version: "2026-11-22" }));
  expect((await run("list")).out).toMatch(/^kokoro-82m +2026-01-01 +[\d.]+ MB +[\d.]+x +\w/m);
  expect((await run("info", "kokoro-82m")).out).toMatch(/^licence +MIT /m);
  expect((await run("info", "kokoro-82m")).out).toMatch(
    /derived\/durations\.onnx, \d+ bytes, SHA-256 [0-9a-f]{64}\n/,
  );
  expect((await run("check")).out).toBe("ok       kokoro-82m\n");
  const checked = JSON.parse((await run("check", "kokoro-82m", "--json")).out);
  expect(checked.data).toEqual([
    { name: "kokoro-82m", variant: null, ok: true, differences: [], ran: true, failure: null, published: "" },
  ]);
  const [row] = JSON.parse((await run("bench", "--json")).out).data;
  expect(Number(row["realtime factor"])).toBeGreaterThan(0);
  expect((await cli.run(["doctor"], environment)).out).toContain("ready    package kokoro-82m 2026-01-01");
  const spoken = await cli.run(["speak", "Hello.", "-o", "hello.wav", "--voice", "female-warm"], environment);
  expect(spoken).toMatchObject({ code: 0, err: expect.stringContaining("female-warm") });
  const read = await cli.run(["normalize", "5 km", "--voice", "female-warm", "--phonemes"], environment);
  expect(read).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^five kilometers\n {2}\S*fˈIv \S+\n$/),
  });
}, 120_000);

test("a package can be exported and imported, and verify names each corrupt file", async () => {
  expect((await run("export", "kokoro-82m", "--out", "kokoro.tar")).code).toBe(0);
  expect((await run("rm", "kokoro-82m")).out).toBe("removed  kokoro-82m\n");
  expect((await run("import", "kokoro.tar")).out).toContain("installed  kokoro-82m");
  expect((await run("verify")).out).toBe("ok       kokoro-82m\n");
  const voice = packageOf("piper-de-thorsten", "vits", { contents: piperContents() });
  storePackage(environment.LOQUAT_WEIGHTS, voice, piperContents());
  const [folder] = readdirSync(join(environment.LOQUAT_WEIGHTS, "packages")).filter((name) =>
    name.startsWith("kokoro-82m@"),
  );
  writeFileSync(join(environment.LOQUAT_WEIGHTS, "packages", folder!, "voices/af_heart.bin"), "short");
  const verified = await run("verify");
  expect(verified).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /^corrupt {2}kokoro-82m: voices\/af_heart\.bin\. [^\n]*\nok {7}piper-de-thorsten\n$/,
    ),
  });
  expect((await run("rm", "piper-de-thorsten")).code).toBe(0);
});

test("check names what contradicts the published facts, and runs every kind of engine", async () => {
  const voice = piperContents();
  const model = {
    ...voice.model!,
    bytes: Buffer.from(
      Buffer.from(voice.model!.bytes).toString("latin1").replaceAll("scales", "scalex"),
      "latin1",
    ),
  };
  const contents = { ...voice, model };
  storePackage(environment.LOQUAT_WEIGHTS, packageOf("piper-de-thorsten", "vits", { contents }), contents);
  const checked = await run("check", "piper-de-thorsten");
  expect(checked.code).toBe(1);
  expect(checked.out).toContain("differs  piper-de-thorsten: voice.onnx: it has no input scales\n");
  expect(checked.out).toContain("failed   piper-de-thorsten: this is another model: it has no input scales");
  const report = JSON.parse((await run("check", "piper-de-thorsten", "--json")).out);
  expect(report.data[0]).toMatchObject({ ok: false, ran: false, failure: expect.stringContaining("scales") });
  expect((await run("rm", "piper-de-thorsten")).code).toBe(0);
});

test("a manifest can be added once", async () => {
  const manifest = JSON.parse(readFileSync(join(MODELS, "packages", "silero-vad.json"), "utf8"));
  writeFileSync(join(cli.folder, "mine.json"), JSON.stringify({ ...manifest, name: "mine" }));
  expect((await run("add", "mine.json")).out).toContain("loquat models pull mine");
  expect((await run("info", "mine")).code).toBe(0);
  expect(await run("add", "mine.json")).toMatchObject({ code: 2, err: expect.stringContaining("already") });
  writeFileSync(join(cli.folder, "bad.json"), JSON.stringify({ ...manifest, family: "bark" }));
  expect(await run("add", "bad.json")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/bad\.json: family must be one of/),
  });
});

test("a model store that cannot be written is named, with the variable to change", async () => {
  writeFileSync(join(cli.folder, "file"), "");
  for (const weights of ["/proc/weights", join(cli.folder, "file", "weights")]) {
    const { code, out, err } = await cli.run(["models", "pull", "kokoro-82m"], {
      ...environment,
      LOQUAT_WEIGHTS: weights,
    });
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(`${weights} `);
    expect(err).toContain("Set LOQUAT_WEIGHTS to a writable folder.");
    expect(err).not.toContain("    at ");
  }
});

const rejected: [name: string, args: string[], code: number, message: RegExp][] = [
  ["a licence that needs acceptance", ["pull", "asking"], 1, /OpenRAIL-M[\s\S]*--accept-license/],
  ["an unknown package", ["pull", "nothing"], 2, /no package nothing/],
  [
    "a package of an earlier version",
    ["pull", "whisper-medium"],
    2,
    /no longer offered.*whisper-large-v3-turbo/,
  ],
  ["a pull without names", ["pull"], 2, /Missing required argument 'name'/],
  ["a package that is not installed", ["rm", "whisper-tiny"], 2, /whisper-tiny is not installed/],
  ["a missing bundle", ["import", "nowhere.tar"], 2, /no folder or bundle nowhere.tar/],
  [
    "an unreachable mirror",
    ["pull", "kokoro-82m", "--mirror", "http://127.0.0.1:9/"],
    1,
    /Download of .* failed: .*HTTPS_PROXY.*LOQUAT_MIRROR.*loquat models import/,
  ],
];
test("without a network the reason and the remedies are told once, and the next packages are not waited for", async () => {
  const names = ["kokoro-82m", "whisper-base", "piper-de-thorsten"];
  const empty = { ...environment, LOQUAT_WEIGHTS: join(environment.LOQUAT_WEIGHTS, "offline") };
  const ran = await cli.run(["models", "pull", ...names, "--mirror", "http://127.0.0.1:9/"], empty);
  expect(ran.code).toBe(1);
  expect(ran.err.match(/LOQUAT_MIRROR/g)).toHaveLength(1);
  expect(ran.err.match(/The download from \S+ failed: .+\.$/gm)).toHaveLength(2);
  expect(ran.err).toContain("3 of 3 packages failed");
}, 60_000);

test.each(rejected)(
  "%s is rejected without changes",
  async (_name, args, code, message) => {
    if (args.includes("--mirror"))
      rmSync(join(environment.LOQUAT_WEIGHTS, "store"), { recursive: true, force: true });
    const ran = await run(...args);
    expect(ran.code).toBe(code);
    expect(ran.err).toMatch(message);
    expect(ran.err).not.toContain("    at ");
  },
  60_000,
);
