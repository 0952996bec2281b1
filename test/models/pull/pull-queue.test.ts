/** Promise: a server pulls packages one after another, reports progress and failures, and stops when closed. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPullQueue } from "../../../src/models/pull/pull-queue.ts";
import type { TryOut } from "../../../src/models/store/installed-variants.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { ModelStoreError } from "../../../src/models/store/store-error.ts";
import { UNTRIED } from "../../../testing/packages/model-store.ts";
import { until } from "../../until.ts";
import { type FakeHub, openHub, slowly } from "./hub.ts";
import { BIG, contentOf, FILES, packageAt, storeOf } from "./tiny-package.ts";

const VOCABULARY = "cache/m/vocab.txt";

let hub: FakeHub;
beforeEach(() => {
  hub = openHub(FILES);
});
afterEach(() => hub[Symbol.dispose]());

const open = (weights: string) => openPullQueue({ weights, device: "cpu", mirror: null, tryOut: UNTRIED });

const OPTIONS = { licenseAccepted: false, notice: () => {} };
const CLOSED = "The server closed during the download. Pull the package again to resume.";
const outcomeOf = (ended: Promise<void>) =>
  ended.then(
    () => "installed",
    ({ message }: Error) => message,
  );

/** The vocabulary comes when what this answers was called; the rest comes at once. */
function holdVocabulary(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  hub.fail = ({ path, probes }) =>
    path === VOCABULARY && !probes ? slowly(FILES["m/vocab.txt"], promise) : null;
  return resolve;
}

test("progress is reported during a pull, and not after it", async () => {
  const weights = storeOf();
  await using pulls = open(weights);
  expect(pulls.state("little")).toBeNull();
  const letGo = holdVocabulary();
  const ended = pulls.start(packageAt(hub.url), OPTIONS)!;
  expect(pulls.state("little")).toMatchObject({ status: "running", bytes: 0, total: 0, message: null });
  expect(pulls.start(packageAt(hub.url), OPTIONS)).toBeNull();
  await until(() => pulls.state("little")!.bytes === BIG.length);
  expect(pulls.state("little")!.total).toBe(BIG.length + FILES["m/vocab.txt"].length);
  letGo();
  await ended;
  expect(pulls.state("little")).toBeNull();
  expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
});

test("a running and a waiting pull can be cancelled, and started again from what was downloaded", async () => {
  const letGo = holdVocabulary();
  const weights = storeOf();
  await using pulls = open(weights);
  const first = pulls.start(packageAt(hub.url), OPTIONS)!;
  const second = pulls.start(packageAt(hub.url, { name: "second" }), OPTIONS)!;
  await until(() => pulls.state("little")!.bytes === BIG.length);
  expect(["second", "little", "little", "unknown"].map((name) => pulls.cancel(name))).toEqual([
    ...[true, true],
    ...[false, false],
  ]);
  await Promise.all([first, second]);
  expect([pulls.state("little"), pulls.state("second")]).toEqual([null, null]);
  expect(openModelStore(weights).installed("little")).toBeNull();
  letGo();
  await pulls.start(packageAt(hub.url), OPTIONS);
  expect(openModelStore(weights).installed("little")).not.toBeNull();
});

test("a second package waits for the first", async () => {
  const letGo = holdVocabulary();
  const weights = storeOf();
  await using pulls = open(weights);
  const first = pulls.start(packageAt(hub.url), OPTIONS)!;
  const second = pulls.start(packageAt(hub.url, { name: "second" }), OPTIONS)!;
  await until(() => pulls.state("little")!.bytes === BIG.length);
  expect(pulls.state("second")).toMatchObject({ status: "running", bytes: 0, total: 0, message: null });
  letGo();
  await Promise.all([first, second]);
  expect(openModelStore(weights).list()).toHaveLength(2);
});

test("a failure stays until the next pull, and does not block other pulls", async () => {
  hub.fail = ({ path }) => (path === VOCABULARY ? new Response("gone", { status: 404 }) : null);
  const weights = storeOf();
  await using pulls = open(weights);
  await expect(pulls.start(packageAt(hub.url), OPTIONS)!).rejects.toThrow("answered 404");
  const failed = pulls.state("little")!;
  expect(failed).toMatchObject({ status: "failed", message: expect.stringContaining("answered 404") });
  hub.fail = () => null;
  await pulls.start(packageAt(hub.url, { name: "second" }), OPTIONS);
  expect(pulls.state("little")).toEqual(failed);
  await pulls.start(packageAt(hub.url), OPTIONS);
  expect(pulls.state("little")).toBeNull();
});

test("closing cancels the running and the waiting pulls, and leaves no lock", async () => {
  holdVocabulary();
  const weights = storeOf();
  const pulls = open(weights);
  const outcomes = ["little", "second"].map((name) =>
    outcomeOf(pulls.start(packageAt(hub.url, { name }), OPTIONS)!),
  );
  await until(() => pulls.state("little")!.bytes === BIG.length);
  await pulls[Symbol.asyncDispose]();
  expect(await Promise.all(outcomes)).toEqual([CLOSED, CLOSED]);
  expect(existsSync(join(weights, "lock"))).toBe(false);
  expect(openModelStore(weights).list()).toEqual([]);
});

test("closing does not wait for a hub that asked to retry later", async () => {
  hub.fail = () => new Response(null, { status: 429, headers: { "retry-after": "300" } });
  const pulls = open(storeOf());
  const outcome = outcomeOf(pulls.start(packageAt(hub.url), OPTIONS)!);
  await until(() => hub.asked.length > 0);
  await pulls[Symbol.asyncDispose]();
  expect(await outcome).toBe(CLOSED);
});

test("a lock of an earlier process with the same process id is ignored", async () => {
  const weights = storeOf();
  writeFileSync(join(weights, "lock"), `${process.pid} 12345.6`);
  await using pulls = open(weights);
  await pulls.start(packageAt(hub.url), OPTIONS);
  expect(openModelStore(weights).installed("little")).not.toBeNull();
});

test("a package that does not run keeps what was installed, and its pull says why", async () => {
  const weights = storeOf();
  const tried: string[] = [];
  const tryOut: TryOut = async ({ package: { version }, folder }) => {
    tried.push(`${version} ${readdirSync(folder).sort()}`);
    if (version === "2026-02-01") throw new ModelStoreError("little cannot run: it is another model.");
    return () => void tried.push(`${version} is installed`);
  };
  await using pulls = openPullQueue({ weights, device: "cpu", mirror: null, tryOut });
  await pulls.start(packageAt(hub.url), OPTIONS);
  const newer = packageAt(hub.url, { version: "2026-02-01" });
  expect(await outcomeOf(pulls.start(newer, OPTIONS)!)).toContain("it is another model");
  expect(pulls.state("little")).toMatchObject({
    status: "failed",
    message: expect.stringContaining("cannot run"),
  });
  const files = "model.onnx,vocab.txt";
  expect(tried).toEqual([`2026-01-01 ${files}`, "2026-01-01 is installed", `2026-02-01 ${files}`]);
  expect(openModelStore(weights).installed("little")!.package.version).toBe("2026-01-01");
  expect(readdirSync(join(weights, "incoming"))).toEqual([]);
});
