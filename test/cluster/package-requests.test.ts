/** Promise: what an operator asks one node to install or remove, every node of the database installs or removes. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../src/config/config.ts";
import { openLog } from "../../src/log/log.ts";
import type { Package } from "../../src/models/packages/package.ts";
import { keepManifest } from "../../src/models/store/known-packages.ts";
import { openServices, type Services } from "../../src/server/services.ts";
import { piperContents } from "../../testing/packages/families/voices.ts";
import { packageOf } from "../../testing/packages/model-store.ts";
import { openPostgres } from "../faults/server-fixture.ts";
import { type FakeHub, openHub } from "../models/pull/hub.ts";
import { until } from "../until.ts";

const server = await openPostgres();
const unlessPostgres = server ? "" : " (skipped: no PostgreSQL at 127.0.0.1:5432)";

const VOICE = {
  ...{ id: "little-voice", name: "Little", language: "en", locale: "en-US", gender: "male", speaker: "0" },
  ...{ aliases: [], metadata: { style: null, age: null, description: null, use_cases: [] } },
} as const;

/** With a voice of the shipped models that are spoken by packages. */
const contents = piperContents();
const voiced = (url: string): Package => ({
  ...packageOf("little", "vits", { contents, offers: { voices: [{ ...VOICE, gender: "male" }] } }),
  sources: [`${url}/m/`],
});
const FILES = Object.fromEntries(Object.values(contents).map(({ path, bytes }) => [`m/${path}`, bytes]));

describe.skipIf(!server)(`two nodes on PostgreSQL${unlessPostgres}`, () => {
  let folder: string;
  let hub: FakeHub;
  let nodes: Services[];
  const logged: string[] = [];

  const open = async (name: string) => {
    const config = readConfig({
      ...{ DATABASE_URL: server!.url, LOQUAT_NODE: name, LOQUAT_MODELS: join(folder, "models") },
      ...{ LOQUAT_DATA: join(folder, name), LOQUAT_WEIGHTS: join(folder, name, "weights") },
    });
    const services = await openServices(
      config,
      { now: () => Date.now() },
      openLog("warn", (line) => logged.push(JSON.parse(line).event)),
    );
    await services.cluster.join({ address: "", draining: new AbortController().signal });
    return services;
  };
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "loquat-requests-"));
    hub = openHub(FILES);
    cpSync(readConfig({}).models.folder, join(folder, "models"), { recursive: true });
    writeFileSync(join(folder, "models/packages/little.json"), JSON.stringify(voiced(hub.url)));
    nodes = [await open("one"), await open("other")];
  });
  afterAll(async () => {
    for (const node of nodes) await node[Symbol.asyncDispose]();
    hub[Symbol.dispose]();
    rmSync(folder, { recursive: true });
    await server![Symbol.asyncDispose]();
  });

  const installed = () => nodes.map(({ store }) => store.installed("little") !== null);
  const install = (at: number) =>
    nodes[at]!.packageRequests.install("little", { variant: null, licenseAccepted: false });

  test("install and remove together, and either one knows what the other has", async () => {
    await install(0);
    await until(() => installed().every(Boolean));
    await until(() =>
      nodes[0]!.cluster.nodes().every(({ report }) => report.packages.some(({ name }) => name === "little")),
    );
    await nodes[1]!.packageRequests.remove("little", null, async () => {});
    await until(() => !installed().some(Boolean));
  });

  test("install what was added to them while they run", async () => {
    const voice = { ...VOICE, id: "added-voice", gender: "male" as const };
    const added = { ...voiced(hub.url), name: "added", voices: [voice] };
    for (const name of ["one", "other"])
      keepManifest({ folder: "", weights: join(folder, name, "weights") }, added);
    await nodes[0]!.packageRequests.install("added", { variant: null, licenseAccepted: false });
    const installed = () => nodes.map(({ store }) => store.installed("added") !== null);
    await until(() => installed().every(Boolean));
    await nodes[0]!.packageRequests.remove("added", null, async () => {});
    await until(() => !installed().some(Boolean));
  });

  test("report a failed download to each other, and leave it when the request is taken back", async () => {
    hub.fail = () => new Response(null, { status: 404 });
    await install(1);
    const failures = () =>
      nodes[0]!.cluster
        .nodes()
        .flatMap(({ report }) => report.pulls.filter(({ status }) => status === "failed"));
    await until(() => failures().length === 2);
    expect(failures()[1]!.message).toContain("404");
    expect(logged.filter((event) => event === "package_pull_failed").length).toBe(2);
    await nodes[0]!.packageRequests.cancel("little", () => {});
    await until(() => failures().length === 0);
    hub.fail = () => null;
  });

  test("list the same models and voices, and one that lacks a voice asks to try again", async () => {
    const only = nodes[0]!.store;
    await nodes[0]!.pulls.start(voiced(hub.url), { licenseAccepted: true, variant: null, notice: () => {} });
    expect(only.installed("little")).not.toBeNull();
    expect(nodes[1]!.store.installed("little")).toBeNull();
    const voices = () => nodes.map(({ catalogue }) => catalogue.voices.map(({ id }) => id).sort());
    await until(() => voices().every((ids) => ids.includes("little-voice")));
    const [one, other] = voices();
    expect(one).toEqual(other!);
    const models = nodes.map(({ catalogue: { entries } }) =>
      entries.map(({ id, version }) => [id, version?.version ?? null]),
    );
    expect(models[0]).toEqual(models[1]!);
    expect(() => nodes[1]!.registry.engine("little")).toThrow("This node does not have the model yet");
    expect(nodes[1]!.cluster.self().report.engines.map(({ name }) => name)).not.toContain("little");
    await nodes[0]![Symbol.asyncDispose]();
    await until(() => !nodes[1]!.catalogue.voices.some(({ id }) => id === "little-voice"));
    nodes.shift();
  });
});
