/** Promise: an operator pulls packages and single variants in the background, and removes them. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { operatorRoutes } from "../../../src/api/management/schema/operator-routes.ts";
import type { ReplyOf } from "../../../src/api/management/schema/route.ts";
import { readConfig } from "../../../src/config/config.ts";
import { errorOf } from "../../harness.ts";
import { type FakeHub, openHub, slowly } from "../../models/pull/hub.ts";
import { BIG, FILES, packageAt, TWO_FILES, twoVariantsAt, untried } from "../../models/pull/tiny-package.ts";
import { until } from "../../until.ts";
import { type Fixture, openFixture, type Person } from "./server-fixture.ts";

type Packages = ReplyOf<(typeof operatorRoutes)["GET /api/operator/models"]>;

const VOCABULARY = "cache/m/vocab.txt";

let folder: string;
let hub: FakeHub;
let fixture: Fixture;
let operator: Person;

/** The shipped packages, and beside them little ones on a hub of ours. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "loquat-operator-"));
  hub = openHub({ ...FILES, ...TWO_FILES });
  const models = join(folder, "models");
  cpSync(readConfig({}).models.folder, models, { recursive: true });
  const little = untried(packageAt(hub.url));
  const strict = { ...little.license, spdx: "OpenRAIL-M", acceptance: true };
  const all = [
    little,
    { ...little, name: "asking", license: strict },
    untried(twoVariantsAt(hub.url, "twofold")),
  ];
  for (const pkg of all) writeFileSync(join(models, "packages", `${pkg.name}.json`), JSON.stringify(pkg));
  const environment = { LOQUAT_MODELS: models, LOQUAT_WEIGHTS: join(folder, "weights"), LOQUAT_THREADS: "1" };
  fixture = await openFixture({ environment });
  operator = await fixture.operator("operator");
});
afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  hub[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe("the operator's packages page", () => {
  const one = async (name: string) =>
    (await operator.get<Packages>("GET /api/operator/models")).data.find((each) => each.name === name)!;
  const pull = (name: string, body = {}) => operator.ask(`POST /api/operator/models/${name}/pull`, body);
  const total = BIG.length + FILES["m/vocab.txt"].length;

  test("lists packages with those recommended for this machine", async () => {
    expect(await one("silero-vad")).toMatchObject({
      object: "package",
      family: "silero",
      recommended: true,
      installed_version: null,
      bytes: expect.any(Number),
      pull: null,
    });
    expect(await one("little")).toMatchObject({ recommended: false, bytes: null, version: "2026-01-01" });
  });

  test("pulls packages in the background, one pull at a time, shows their speed here, and removes them", async () => {
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    hub.fail = ({ path, probes }) =>
      path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
    const begun = await pull("little");
    expect([begun.status, await begun.json()]).toMatchObject([
      202,
      { name: "little", pull: { status: "running", bytes: 0 } },
    ]);
    await until(async () => (await one("little")).pull?.bytes === BIG.length);
    expect((await one("little")).pull).toEqual({
      status: "running",
      bytes: BIG.length,
      total,
      ...{ message: null, summary: null, next_try_at: null },
    });
    expect(await errorOf(await pull("little"))).toMatchObject({ status: 409, code: "pull_running" });
    const early = await operator.ask("DELETE /api/operator/models/little");
    expect(await errorOf(early)).toMatchObject({ status: 409, code: "pull_running" });
    letGo();
    await until(async () => (await one("little")).pull === null);
    expect(await one("little")).toMatchObject({ installed_version: "2026-01-01", bytes: total });
    fixture.parts.registry.speed = () => 12.34;
    expect((await one("little")).local_speed).toBe(12.34);
    expect((await operator.ask("DELETE /api/operator/models/little")).status).toBe(204);
    expect(await one("little")).toMatchObject({ installed_version: null, local_speed: null });
    const again = await operator.ask("DELETE /api/operator/models/little");
    expect(await errorOf(again)).toMatchObject({ status: 404, code: "not_found" });
  });

  test("accepts a pull that this node begins, by the database, before the route does", async () => {
    const { promise, resolve: letGo } = Promise.withResolvers<void>();
    hub.fail = ({ path, probes }) =>
      path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
    const { packageRequests } = fixture.parts;
    const { install } = packageRequests;
    const installing = spyOn(packageRequests, "install").mockImplementationOnce(async (...request) => {
      await install(...request);
      await until(async () => (await one("little")).pull?.status === "running");
    });
    expect((await pull("little")).status).toBe(202);
    expect(installing).toHaveBeenCalledTimes(1);
    letGo();
    await until(async () => (await one("little")).pull === null);
    expect((await operator.ask("DELETE /api/operator/models/little")).status).toBe(204);
  });

  test("shows the reason of a failed pull until the next attempt", async () => {
    hub.fail = ({ path }) => (path === VOCABULARY ? new Response("gone", { status: 404 }) : null);
    expect((await pull("little")).status).toBe(202);
    await until(async () => (await one("little")).pull?.status === "failed");
    expect((await one("little")).pull!.message).toContain("m/vocab.txt answered 404");
    expect(fixture.logged).toContainEqual(
      expect.objectContaining({ level: "warn", event: "package_pull_failed", package: "little" }),
    );
    hub.fail = () => null;
    expect((await pull("little")).status).toBe(202);
    await until(async () => (await one("little")).installed_version !== null);
    expect((await one("little")).pull).toBeNull();
  });

  test("pulls a package with a restrictive licence only after the licence was accepted", async () => {
    const { status, code, message } = await errorOf(await pull("asking"));
    expect([status, code]).toEqual([409, "license_required"]);
    expect(message).toContain("OpenRAIL-M");
    expect(message).toContain("https://example.org/");
    expect((await one("asking")).pull).toBeNull();
    expect((await pull("asking", { accept_license: true })).status).toBe(202);
    await until(async () => (await one("asking")).installed_version !== null);
  });

  test("pulls and removes one variant beside another", async () => {
    hub.fail = () => null;
    const state = async () => {
      const { variants, installed_version, bytes } = await one("twofold");
      const installed = variants.filter((each) => each.installed).map(({ name }) => name);
      return { names: variants.map(({ name }) => name), installed, version: installed_version, bytes };
    };
    const names = ["q8", "fp16"];
    expect(await state()).toEqual({ names, installed: [], version: null, bytes: null });
    for (const variant of names) {
      expect((await pull("twofold", { variant })).status).toBe(202);
      await until(async () => (await state()).installed.includes(variant));
    }
    expect(await state()).toEqual({ names, installed: names, version: "2026-01-01", bytes: 11 });
    const remove = (variant: string) =>
      operator.ask(`DELETE /api/operator/models/twofold?variant=${variant}`);
    expect((await remove("q8")).status).toBe(204);
    expect(await state()).toMatchObject({ installed: ["fp16"], bytes: 6 });
    expect(await errorOf(await remove("q8"))).toMatchObject({ status: 404, code: "not_found" });
    expect((await remove("fp16")).status).toBe(204);
    expect(await state()).toMatchObject({ installed: [], version: null });
    const unknown = await pull("twofold", { variant: "int4" });
    expect(await errorOf(unknown)).toMatchObject({ status: 404, code: "not_found" });
    expect((await one("silero-vad")).variants).toEqual([]);
    const { query, tables } = fixture.parts.database;
    const events = (await query.select().from(tables.auditEvent)).filter(
      (row) => row.resourceId === "twofold",
    );
    expect(events.map(({ type }) => type)).toContain("package.installed");
    expect(events.map(({ type }) => type)).toContain("package.removed");
    for (const { actorType } of events) expect(actorType).toBe("operator");
  });

  test("answers 404 for an unknown package", async () => {
    expect(await errorOf(await pull("nothing"))).toMatchObject({ status: 404, code: "not_found" });
  });
});
