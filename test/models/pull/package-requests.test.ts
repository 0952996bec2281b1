/**
 * Promise: what is being removed or cancelled is not installed again by a request that was read before; and a node that
 * starts is ready once it has what was requested, or cannot have it.
 */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPackageRequests } from "../../../src/models/pull/package-requests.ts";
import { openModelStore } from "../../../src/models/store/model-store.ts";
import { packageOf, storePackage } from "../../../testing/packages/model-store.ts";
import { quietFor, until } from "../../until.ts";
import { packageAt } from "./tiny-package.ts";

type Deps = Parameters<typeof openPackageRequests>[0];

/** A node that lacks a requested package, and looks every millisecond. */
function openNode() {
  const request = { name: "little", variants: [""], licenseAccepted: false, changedMs: 1 };
  let stored: typeof request | null = request;
  let begun = 0;
  const pulls = {
    state: () => null,
    cancel: () => false,
    start() {
      begun++;
      return null;
    },
  };
  const rows: Deps["rows"] = {
    list: async () => (stored ? [stored] : []),
    find: async () => stored,
    async install() {
      stored = null;
    },
    async remove() {
      stored = null;
    },
    removedHere: async () => {},
    async delete() {
      stored = null;
    },
  };
  const requests = openPackageRequests({
    ...{ rows, weights: "nowhere", lookMs: 1, clock: { now: () => 2 }, notice: () => {}, failed: () => {} },
    packages: () => new Map([["little", packageAt("http://localhost")]]),
    store: { installed: () => null } as unknown as Deps["store"],
    pulls: pulls as unknown as Deps["pulls"],
  });
  return { requests, begun: () => begun };
}

/** How many pulls begin while the work runs. */
async function begunDuring(begun: () => number): Promise<number> {
  const before = begun();
  await quietFor(30);
  return begun() - before;
}

test("a package is not pulled while it is removed, nor after it", async () => {
  const { requests, begun } = openNode();
  await using _ = requests;
  await until(() => begun() !== 0);
  let during = -1;
  await requests.remove("little", null, async () => {
    during = await begunDuring(begun);
  });
  expect(during).toBe(0);
  expect(await begunDuring(begun)).toBe(0);
});

test("a removal that fails leaves the request in force", async () => {
  const { requests, begun } = openNode();
  await using _ = requests;
  const failing = requests.remove("little", null, async () => {
    throw new Error("the store is locked");
  });
  await expect(failing).rejects.toThrow("locked");
  expect(await begunDuring(begun)).toBeGreaterThan(0);
});

test("a cancelled request begins no pull", async () => {
  const { requests, begun } = openNode();
  await using _ = requests;
  let atCancel = -1;
  await requests.cancel("little", () => {
    atCancel = begun();
  });
  await begunDuring(begun);
  expect(begun()).toBe(atCancel);
});

/** A node whose pulls end as the test says, on a clock that it holds. */
function openStarting(names: string[], isDown = false) {
  const requestOf = (name: string) => ({ name, variants: [""], licenseAccepted: false, changedMs: 1 });
  const state = {
    requested: names,
    installed: new Set<string>(),
    nowMs: 0,
    isDown,
    tries: new Map<string, number>(),
  };
  const pulled = new Map<string, PromiseWithResolvers<void>>();
  const package_ = packageAt("http://localhost");
  const requests = openPackageRequests({
    rows: {
      async list() {
        if (state.isDown) throw new Error("the database is gone");
        return state.requested.map(requestOf);
      },
      find: async (name) => (state.requested.includes(name) ? requestOf(name) : null),
      install: async () => {},
      remove: async () => {},
      removedHere: async () => {},
      delete: async () => {},
    },
    packages: () => new Map(["little", "other"].map((name) => [name, { ...package_, name }])),
    store: {
      installed: (name: string) => (state.installed.has(name) ? { package: package_ } : null),
    } as unknown as Deps["store"],
    pulls: {
      state: () => null,
      start({ name }: { name: string }) {
        if (pulled.has(name)) return null;
        pulled.set(name, Promise.withResolvers());
        return pulled.get(name)!.promise;
      },
      cancel: () => false,
      willTry: (name: string, at: number) => void state.tries.set(name, at),
    } as unknown as Deps["pulls"],
    ...{ weights: "nowhere", lookMs: 1, clock: { now: () => state.nowMs } },
    ...{ notice: () => {}, failed: () => {} },
  });
  return { requests, state, pulled };
}

test("a starting node waits for what was requested, until it is installed or its pull has failed", async () => {
  const { requests, state, pulled } = openStarting(["little", "other", "of-another-version"]);
  await using _ = requests;
  await requests.asked;
  expect(requests.awaited()).toEqual(["little", "other"]);
  state.installed.add("little");
  await until(() => requests.awaited()!.length === 1);
  pulled.get("other")!.reject(new Error("not found"));
  await until(() => requests.awaited()!.length === 0);
});

test("a pull that failed is tried again when it says, or at once where it is asked for", async () => {
  const { requests, state, pulled } = openStarting(["little"]);
  await using _ = requests;
  await requests.asked;
  pulled.get("little")!.reject(new Error("not found"));
  await until(() => state.tries.get("little") === 30);
  pulled.delete("little");
  await quietFor(30);
  expect(pulled.has("little")).toBe(false);
  await requests.install("little", { variant: null, licenseAccepted: false });
  expect(pulled.has("little")).toBe(true);
});

test("a node waits for no package longer than ten minutes, and for none that is requested later", async () => {
  const { requests, state, pulled } = openStarting(["little"]);
  await using _ = requests;
  await requests.asked;
  state.requested = ["little", "other"];
  await until(() => pulled.has("other"));
  expect(requests.awaited()).toEqual(["little"]);
  state.nowMs = 600_000;
  expect(requests.awaited()).toEqual([]);
});

test("a request that is taken back is not waited for", async () => {
  const { requests, state } = openStarting(["little"]);
  await using _ = requests;
  await requests.asked;
  state.requested = [];
  await until(() => requests.awaited()!.length === 0);
});

test("a node that cannot read the requests waits until it can", async () => {
  const { requests, state } = openStarting(["little"], true);
  await using _ = requests;
  await requests.asked;
  expect(requests.awaited()).toBeNull();
  state.isDown = false;
  await until(() => requests.awaited()?.length === 1);
});

test("a removal reaches a package that no catalogue knows, and passes over one that is not there", async () => {
  const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
  const contents = { model: { path: "m.onnx", bytes: "model" } };
  storePackage(weights, packageOf("own-voice", "vits", { contents }), contents);
  const store = openModelStore(weights);
  const removal = (name: string) => ({
    ...{ name, variants: null, licenseAccepted: false },
    changedMs: Date.now() + 60_000,
  });
  await using requests = openPackageRequests({
    rows: { list: async () => ["never-here", "own-voice"].map(removal) } as unknown as Deps["rows"],
    ...{ weights, store, packages: () => new Map(), pulls: {} as Deps["pulls"] },
    ...{ notice: () => {}, failed: () => {}, clock: { now: () => 0 } },
  });
  await requests.asked;
  expect(store.list()).toEqual([]);
  expect(requests.awaited()).toEqual([]);
  rmSync(weights, { recursive: true });
});
