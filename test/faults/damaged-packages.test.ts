/** Promise: what is damaged of a package is named, and the server and all other packages go on. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileOf, openModelStore } from "../../src/models/store/model-store.ts";
import { kokoroContents, piperContents } from "../../testing/packages/families/voices.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { openCli } from "../cli/process.ts";
import { until } from "../until.ts";

const DAMAGED = "piper-de-thorsten";
const cli = openCli();
const weights = join(cli.folder, "weights");
const environment = { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2", LOQUAT_PLAN: "unmetered" };
const run = (...args: string[]) => cli.run(args, environment);
const manifest = join(weights, "packages", `${DAMAGED}.json`);
let whole: string;
const VOICE = {
  ...{ id: "german-man", name: "A German man", language: "de", locale: "de", gender: "male" as const },
  ...{ speaker: "0", aliases: [], metadata: { style: null, age: null, description: null, use_cases: [] } },
};

beforeAll(() => {
  storePackage(weights, packageOf("kokoro-82m", "kokoro", { contents: kokoroContents() }), kokoroContents());
  const offers = { voices: [VOICE] };
  storePackage(weights, packageOf(DAMAGED, "vits", { contents: piperContents(), offers }), piperContents());
  whole = readFileSync(manifest, "utf8");
});
afterAll(() => cli[Symbol.dispose]());

test("a running server says once which package is damaged, goes on with the others, and has it back when it is restored", async () => {
  const server = await cli.serve(environment);
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const speak = async (voice: string) => {
    const response = await fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc-tts1", voice, input: "Hello." }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const complaints = () => server.complained().split('"package_damaged"').length - 1;
  const DAMAGES = ["", whole.slice(0, 100), "[".repeat(100_000), whole.replace('"vits"', "1e999")];
  for (const [index, damaged] of DAMAGES.entries()) {
    writeFileSync(manifest, damaged);
    await until(() => complaints() === index + 1);
    expect(await speak("female-warm")).toBe(200);
  }
  expect(server.complained()).toContain(`"package":"${DAMAGED}"`);
  expect(server.complained()).toContain(`${manifest}: is not JSON`);
  writeFileSync(manifest, whole);
  const has = async () =>
    JSON.parse((await run("models", "list", "--json")).out).packages.some(
      (each: { name: string; installed: string | null }) => each.name === DAMAGED && each.installed !== null,
    );
  expect(await has()).toBe(true);
  expect(complaints()).toBe(DAMAGES.length);
  expect(await server.stop()).toBe(0);
}, 120_000);

test("a running server answers at once for a voice whose file is damaged, names the file in its log, and goes on", async () => {
  writeFileSync(manifest, whole);
  const server = await cli.serve(environment);
  const key = readFileSync(join(cli.folder, "data", "first-key"), "utf8").trim();
  const speak = (voice: string) =>
    fetch(`${server.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "svc-tts1", voice, input: "Hello.", language: "de" }),
    });
  const store = openModelStore(weights);
  const config = fileOf(store.installed(DAMAGED), "config")!;
  const sound = readFileSync(config, "utf8");
  for (const damaged of [sound.slice(0, 100), "[".repeat(5_000_000), sound.replace("22050", '"x"')]) {
    writeFileSync(config, damaged);
    const response = await speak("german-man");
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "inference_unavailable" } });
    expect((await speak("female-warm")).status).toBe(200);
  }
  await until(() => server.complained().includes(`${config}: audio.sample_rate must be`));
  expect(server.complained()).toContain(`${config}: is not JSON`);
  writeFileSync(config, sound);
  expect((await speak("german-man")).status).toBe(200);
  expect(await server.stop()).toBe(0);
}, 120_000);

test("each command names a damaged package, and does its work on the others", async () => {
  writeFileSync(manifest, whole.slice(0, 100));
  const named = `${DAMAGED} is damaged: ${manifest}: is not JSON`;
  const remedy = `Run "loquat models rm ${DAMAGED}" and install it again.`;
  const list = await run("models", "list");
  expect(list.code).toBe(0);
  expect(list.err).toContain(named);
  expect(list.err).toContain(remedy);
  expect(list.out).toMatch(/^kokoro-82m +\d{4}/m);
  const check = await run("models", "check");
  expect(check.code).toBe(1);
  expect(check.out).toContain(`failed   ${DAMAGED}: ${manifest}`);
  expect(check.out).toContain("kokoro-82m");
  expect((await run("models", "check", DAMAGED)).code).toBe(1);
  const verify = await run("models", "verify");
  expect(verify.code).toBe(1);
  expect(verify.out).toContain(`corrupt  ${named}`);
  expect(verify.out).toContain("ok       kokoro-82m\n");
  expect((await run("models", "info", DAMAGED)).out).toContain(`damaged    ${manifest}`);
  expect((await run("models", "export", DAMAGED, "--out", "x.tar")).err).toContain(named);
  expect((await run("doctor")).out).toContain(`failed   package ${DAMAGED}: ${manifest}`);
  expect(await run("models", "remove", DAMAGED)).toMatchObject({ code: 0, out: `removed  ${DAMAGED}\n` });
  expect((await run("models", "list")).err).toBe("");
}, 120_000);
