/** Promise: a first start says what a pull would give, or pulls what LOQUAT_PULL names while the server already answers. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { readSpeeds } from "../../src/models/store/measured-speeds.ts";
import { openModelStore } from "../../src/models/store/model-store.ts";
import { kokoroContents } from "../../testing/packages/families/voices.ts";
import { packageOf } from "../../testing/packages/model-store.ts";
import { type FakeHub, openHub } from "../models/pull/hub.ts";
import { until } from "../until.ts";
import { type Cli, openCli } from "./process.ts";

const { durations: _, ...contents } = kokoroContents();
const recommendation = { purpose: "voices", rank: 1, cores: 1, memoryGb: 0, gpu: false };

let cli: Cli;
let hub: FakeHub;
let environment: { LOQUAT_MODELS: string; LOQUAT_WEIGHTS: string };
beforeEach(() => {
  cli = openCli();
  hub = openHub(
    Object.fromEntries(Object.values(contents).map(({ path, bytes }) => [`kokoro/${path}`, bytes])),
  );
  environment = { LOQUAT_MODELS: join(cli.folder, "models"), LOQUAT_WEIGHTS: join(cli.folder, "weights") };
  cpSync(readConfig({}).models.folder, environment.LOQUAT_MODELS, { recursive: true });
  const packages = join(environment.LOQUAT_MODELS, "packages");
  for (const file of readdirSync(packages)) {
    const { recommended: _, ...shipped } = JSON.parse(readFileSync(join(packages, file), "utf8"));
    writeFileSync(join(packages, file), JSON.stringify(shipped));
  }
  const pkg: Package = packageOf("kokoro-82m", "kokoro", { contents });
  pkg.sources = [`${hub.url}/kokoro/`];
  const license = { ...pkg.license, spdx: "OpenRAIL-M", acceptance: true };
  const all = [
    { ...pkg, recommended: recommendation },
    {
      ...pkg,
      name: "gone",
      sources: [`${hub.url}/gone/`],
      files: pkg.files.map((file) => ({ ...file, sha256: "0".repeat(64) })),
    },
    { ...pkg, name: "asking", license },
    {
      ...pkg,
      name: "heavy",
      languages: ["en"],
      recommended: { ...recommendation, purpose: "reading" },
      measured: [{ variant: null, memoryMb: 1, speed: 0.01 }],
    },
  ];
  for (const each of all) writeFileSync(join(packages, `${each.name}.json`), JSON.stringify(each));
});
afterEach(() => {
  cli[Symbol.dispose]();
  hub[Symbol.dispose]();
});

const installed = () =>
  openModelStore(environment.LOQUAT_WEIGHTS)
    .list()
    .map((each) => each.package.name);

const measured = () =>
  readSpeeds(
    environment.LOQUAT_WEIGHTS,
    false,
  )({ package: { name: "kokoro-82m", version: "2026-01-01" }, variant: null });

test("where nothing is installed, the greeting names the command and its size", async () => {
  const server = await cli.serve(environment);
  await until(() => server.printed().includes("recommended"));
  expect(server.printed()).toMatch(/^Natural voices: loquat models pull recommended, [\d.]+ MB$/m);
  expect(await server.stop()).toBe(0);
  expect(hub.asked).toEqual([]);
});

test("LOQUAT_PULL installs while the server answers, and a second start downloads nothing", async () => {
  const withPull = { ...environment, LOQUAT_PULL: "gone,recommended" };
  const server = await cli.serve(withPull);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  await until(() => server.complained().includes('"package_pulled"'));
  expect(server.printed()).toMatch(/^Pulling gone, kokoro-82m in the background, [\d.]+ MB$/m);
  expect(server.complained()).toMatch(/"package_pull_failed","package":"gone".*answered 404/);
  expect(installed()).toEqual(["kokoro-82m"]);
  await until(() => measured() !== null); // once it is installed
  expect(await server.stop()).toBe(0);

  hub.asked.length = 0;
  const again = await cli.serve({ ...environment, LOQUAT_PULL: "recommended" });
  expect(await again.stop()).toBe(0);
  expect(again.printed()).not.toContain("Pulling");
  expect(hub.asked).toEqual([]);
});

test("a package whose licence restricts use is pulled only where its licence was accepted", async () => {
  const refused = await cli.serve({ ...environment, LOQUAT_PULL: "asking" });
  await until(() => refused.complained().includes("LOQUAT_ACCEPT_LICENSES=asking"));
  expect(await refused.stop()).toBe(0);
  expect(refused.printed()).not.toContain("Pulling");
  expect(hub.asked).toEqual([]);
  const accepted = await cli.serve({
    ...environment,
    LOQUAT_PULL: "asking",
    LOQUAT_ACCEPT_LICENSES: "asking",
  });
  await until(() => accepted.complained().includes('"package_pulled"'));
  expect(installed()).toEqual(["asking"]);
  expect(await accepted.stop()).toBe(0);
});

test.each(["LOQUAT_PULL", "LOQUAT_ACCEPT_LICENSES"])(
  "an unknown package in %s stops the start",
  async (name) => {
    const ran = await cli.run(["serve"], {
      ...environment,
      PORT: "0",
      LOG_FORMAT: "text",
      LOQUAT_PULL: "asking",
      [name]: "kokro",
    });
    expect(ran).toMatchObject({
      code: 1,
      err: expect.stringMatching(new RegExp(`^${name}: There is no package kokro`)),
    });
  },
);

test("a pull of several packages continues after one that fails, and names it at the end", async () => {
  const ran = await cli.run(["models", "pull", "gone", "kokoro-82m"], environment);
  expect(ran.err).toMatch(/^gone: [\d.]+ MB, MIT, [^\n]+\nkokoro-82m: [^\n]+\n2 packages, [\d.]+ MB$/m);
  expect(ran.out).toBe("installed  kokoro-82m 2026-01-01\n");
  expect(ran.err).toContain("answered 404");
  expect(ran.err).toEndWith("1 of 2 packages failed: gone\n");
  expect(ran.code).toBe(1);
  expect(ran.err).not.toContain("\r");
  expect(installed()).toEqual(["kokoro-82m"]);
});

test("where no package for a purpose keeps up, none is pulled, and the built-in voice is named", async () => {
  const ran = await cli.run(["models", "pull", "recommended"], environment);
  expect(ran.err).toStartWith(
    "Nothing is recommended for reading: heavy, the fastest, is expected to speak at about 0.0 times real time on this machine. The voice Ada (flite) needs no package, and keeps up.\n",
  );
  expect(ran).toMatchObject({ code: 0, out: "installed  kokoro-82m 2026-01-01\n" });
  expect(installed()).toEqual(["kokoro-82m"]);
});

test("the list says how much a package will download", async () => {
  const { packages } = JSON.parse((await cli.run(["models", "list", "--json"], environment)).out);
  const bytes = Object.values(contents).reduce((sum, each) => sum + Buffer.byteLength(each.bytes), 0);
  expect(packages).toContainEqual(expect.objectContaining({ name: "kokoro-82m", installed: null, bytes }));
});
