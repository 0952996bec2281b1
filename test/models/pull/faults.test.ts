/**
 * Promise: a temporary failure of the hub is retried; a permanent one leaves the model store unchanged, and is
 * reported.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Package } from "../../../src/models/packages/package.ts";
import { pull } from "../../../src/models/pull/pull.ts";
import { takes } from "../../until.ts";
import { type FakeHub, openHub } from "./hub.ts";
import { BIG, contentOf, FILES, optionsOf, packageAt, sha256, storeOf } from "./tiny-package.ts";

const partOf = (range: string) => BIG.subarray(Number(/=(\d+)-/.exec(range)![1]));

/** A byte every tenth of a second. */
function dripping(range: string) {
  let rest = partOf(range);
  return new ReadableStream({
    async pull(controller) {
      await takes(100);
      controller.enqueue(rest.subarray(0, 1));
      rest = rest.subarray(1);
    },
  }) as never;
}

describe("a hub that", () => {
  const failures: [name: string, fail: (count: number, range: string | null) => Response | null][] = [
    [
      "is busy",
      (count) => (count === 1 ? new Response(null, { status: 429, headers: { "retry-after": "0" } }) : null),
    ],
    ["breaks", (count) => (count === 1 ? new Response(null, { status: 503 }) : null)],
    [
      "breaks off in the middle",
      (count, range) =>
        count === 2 && range ? new Response(partOf(range).subarray(0, 1000) as never, { status: 206 }) : null,
    ],
    [
      "falls silent",
      (count, range) =>
        count === 2 && range
          ? new Response(new ReadableStream({ pull: () => takes(5000) }) as never, { status: 206 })
          : null,
    ],
    [
      "sends a byte now and then",
      (count, range) => (count === 2 && range ? new Response(dripping(range), { status: 206 }) : null),
    ],
  ];
  test.each(failures)("%s once is retried", async (_name, fail) => {
    using hub = openHub(FILES);
    hub.fail = ({ path, range, count }) => (path === "cdn/m/model.onnx" ? fail(count, range) : null);
    const weights = storeOf();
    const locked = await pull(packageAt(hub.url), optionsOf(weights, { idleMs: 1000 }));
    expect(locked.files[0]!.sha256).toBe(sha256(BIG));
  });

  const outcomes: [
    name: string,
    prepare: (hub: FakeHub, pkg: Package) => unknown,
    expected: string | RegExp,
  ][] = [
    ["is gone", (hub) => hub[Symbol.dispose](), /^Download of .* failed/],
    [
      "breaks every time",
      (hub) => Object.assign(hub, { fail: () => new Response(null, { status: 500 }) }),
      "answered 500",
    ],
    ["has nothing there", (hub) => void hub.files.delete("m/vocab.txt"), "answered 404"],
    [
      "is closed to us",
      (hub) => Object.assign(hub, { fail: () => new Response(null, { status: 403 }) }),
      "access to it may be restricted",
    ],
    [
      "declares another hash",
      (_hub, pkg) => Object.assign(pkg.files[0]!, { sha256: "0".repeat(64) }),
      /model\.onnx is not the expected file: its hash is/,
    ],
    [
      "sends a file with another hash",
      (_hub, pkg) => Object.assign(pkg.files[1]!, { sha256: "0".repeat(64) }),
      /vocab\.txt sent a file with the hash/,
    ],
    [
      "declares another length",
      (_hub, pkg) => Object.assign(pkg.files[1]!, { bytes: 9 }),
      "it has 8 bytes, not 9",
    ],
    [
      "sends other bytes than it declares",
      (hub) =>
        Object.assign(hub, {
          fail: ({ path, probes }) =>
            path === "cdn/m/model.onnx" && !probes ? new Response("a new verzion", { status: 206 }) : null,
        } satisfies Pick<FakeHub, "fail">),
      "damaged in transit",
    ],
    [
      "sends more than it declares",
      (hub) =>
        Object.assign(hub, {
          fail: ({ path, probes }) =>
            path === "cache/m/vocab.txt" && !probes ? new Response("a 0\nb 1\nc 2\n", { status: 206 }) : null,
        } satisfies Pick<FakeHub, "fail">),
      "sends more bytes than it declares",
    ],
    [
      "declares nothing and sends for ever",
      (hub) =>
        Object.assign(hub, {
          fail: () =>
            new Response(new ReadableStream({ pull: (controller) => controller.enqueue(BIG) }) as never),
        } satisfies Pick<FakeHub, "fail">),
      "declares no size",
    ],
    [
      "leads in circles",
      (hub) =>
        Object.assign(hub, {
          fail: () => new Response(null, { status: 302, headers: { location: `${hub.url}/round` } }),
        }),
      "redirects more than 5 times",
    ],
  ];
  test.each(outcomes)(
    "%s leaves the model store unchanged, and is reported",
    async (_name, prepare, expected) => {
      using hub = openHub(FILES);
      const weights = storeOf();
      await pull(packageAt(hub.url), optionsOf(weights));
      const before = readFileSync(join(weights, "packages", "little.json"), "utf8");
      hub.files.set("m/model.onnx", Buffer.from("a new version"));
      const pkg = packageAt(hub.url, { version: "2026-02-01" });
      prepare(hub, pkg);
      await expect(pull(pkg, optionsOf(weights))).rejects.toThrow(expected);
      expect(readFileSync(join(weights, "packages", "little.json"), "utf8")).toBe(before);
      expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
      expect(existsSync(join(weights, "lock"))).toBe(false);
    },
  );
});

test("a hub that sends a byte now and then for ever is given up", async () => {
  using hub = openHub(FILES);
  hub.fail = ({ path, range, probes }) =>
    path === "cdn/m/model.onnx" && !probes ? new Response(dripping(range!), { status: 206 }) : null;
  const weights = storeOf();
  const pulled = pull(packageAt(hub.url), optionsOf(weights, { idleMs: 300 }));
  await expect(pulled).rejects.toThrow("fewer than 512 bytes a second");
  expect(existsSync(join(weights, "lock"))).toBe(false);
}, 120_000);

test.each([
  ["is full", "ENOSPC", /disk that is full.*kept/],
  ["may not be written", "EACCES", /is not writable.*LOQUAT_WEIGHTS/],
])("a disk that %s is reported as such, and the lock is released", async (_name, code, expected) => {
  using hub = openHub(FILES);
  const weights = storeOf();
  const options = optionsOf(weights, {
    report() {
      throw Object.assign(new Error("as the system says it"), { code });
    },
  });
  await expect(pull(packageAt(hub.url), options)).rejects.toThrow(expected);
  expect(existsSync(join(weights, "lock"))).toBe(false);
});

test("a model store that is not a folder is reported", async () => {
  using hub = openHub(FILES);
  const weights = join(storeOf(), "file");
  writeFileSync(weights, "");
  await expect(pull(packageAt(hub.url), optionsOf(join(weights, "below")))).rejects.toThrow(
    "is not a folder",
  );
});
