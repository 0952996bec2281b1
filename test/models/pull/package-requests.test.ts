/** Promise: what is being removed or cancelled is not installed again by a request that was read before. */
import { expect, test } from "bun:test";
import { openPackageRequests } from "../../../src/models/pull/package-requests.ts";
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
    async put() {
      stored = null;
    },
    async delete() {
      stored = null;
    },
  };
  const requests = openPackageRequests({
    ...{ rows, weights: "nowhere", lookMs: 1, clock: { now: () => 2 }, failed: () => {} },
    packages: () => new Map([["little", packageAt("http://localhost")]]),
    store: { installed: () => null } as unknown as Deps["store"],
    pulls: pulls as unknown as Deps["pulls"],
  });
  return { requests, begun: () => begun };
}

/** How many pulls begin while the work runs. */
async function begunDuring(begun: () => number): Promise<number> {
  const before = begun();
  await Bun.sleep(30);
  return begun() - before;
}

test("a package is not pulled while it is removed, nor after it", async () => {
  const { requests, begun } = openNode();
  await using _ = requests;
  while (begun() === 0) await Bun.sleep(1);
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
