/** Promise: what the hubs were captured doing does no harm to a file: it arrives whole, or the pull says why it does not. */
import { describe, expect, test } from "bun:test";
import type { Package } from "../../../src/models/packages/package.ts";
import { pull } from "../../../src/models/pull/pull.ts";
import { waitMs } from "../../../src/models/pull/retry.ts";
import { type FakeHub, openHub } from "./hub.ts";
import { BIG, contentOf, FILES, MEGABYTE, optionsOf, packageAt, sha256, storeOf } from "./tiny-package.ts";

/** Compresses to a fraction: a length of the compressed form would cut it short. */
const TEXT = Array.from({ length: 8000 }, (_, id) => `token${id} ${id}`).join("\n");

const textPackage = (url: string, pin: Partial<Package["files"][number]> = {}) =>
  packageAt(url, {
    files: [{ role: "vocabulary", path: "vocab.txt", bytes: null, sha256: null, ...pin }],
  });

const behaviours: [name: string, prepare: (hub: FakeHub) => void, folder?: string][] = [
  ["compresses text where the client allows it", () => {}],
  ["compresses ranges too, under an ETag of 64 digits", (hub) => Object.assign(hub, { kindOf: () => "raw" })],
  ["follows redirects itself, and sends the id of a Xet file as ETag", () => {}, "cdn/m/"],
  ["sends no length with a whole file", (hub) => Object.assign(hub, { lengths: false })],
  [
    "redirects to addresses that have expired",
    (hub) => Object.assign(hub, { kindOf: () => "lfs", expired: 2 }),
  ],
];

describe.each(behaviours)("a hub that %s", (_name, prepare, folder = "m/") => {
  test.each([
    ["unknown", {}],
    ["known", { bytes: TEXT.length, sha256: sha256(TEXT) }],
  ])("delivers text whose size and hash are %s", async (_known, pin) => {
    using hub = openHub({ "m/vocab.txt": TEXT });
    prepare(hub);
    const weights = storeOf();
    const pkg = { ...textPackage(hub.url, pin), sources: [`${hub.url}/${folder}`] };
    const locked = await pull(pkg, optionsOf(weights));
    expect(contentOf(weights, "vocab.txt").toString()).toBe(TEXT);
    expect(locked.files[0]).toMatchObject({ bytes: TEXT.length, sha256: sha256(TEXT) });
  });
});

test("a range of a file with another length is refused", async () => {
  using hub = openHub(FILES);
  hub.fail = ({ path, probes }) =>
    path === "cache/m/vocab.txt" && !probes
      ? new Response("a 0\nb 1\n", { status: 206, headers: { "content-range": "bytes 0-7/900" } })
      : null;
  await expect(pull(packageAt(hub.url), optionsOf(storeOf()))).rejects.toThrow("it has 900 bytes, not 8");
});

test("a file whose size and hash are known is downloaded without asking for them", async () => {
  using hub = openHub(FILES);
  const pkg = packageAt(hub.url);
  for (const [index, bytes] of Object.values(FILES).entries())
    Object.assign(pkg.files[index]!, { bytes: bytes.length, sha256: sha256(bytes) });
  await pull(pkg, optionsOf(storeOf()));
  expect(hub.asked.filter((each) => each.includes("m/vocab.txt"))).toEqual([
    "GET m/vocab.txt bytes=0-7",
    "GET cache/m/vocab.txt bytes=0-7",
  ]);
  expect(hub.asked.filter((each) => each.includes("0-0"))).toEqual([]);
});

describe("a hub that asks to wait", () => {
  const date = new Date(1_800_000_000_000);
  const asking = (after: string) => () =>
    new Response(null, { status: 429, headers: { "retry-after": after, date: date.toUTCString() } });

  test.each([
    ["by a number of seconds", "300"],
    ["until a date", new Date(date.getTime() + 300_000).toUTCString()],
  ])("%s is asked again after that time", async (_name, after) => {
    using hub = openHub(FILES);
    hub.fail = asking(after);
    const stop = new AbortController();
    const noticed = Promise.withResolvers<string>();
    const pulled = pull(
      packageAt(hub.url),
      optionsOf(storeOf(), { signal: stop.signal, notice: noticed.resolve }),
    );
    expect(await noticed.promise).toMatch(/^127\.0\.0\.1:\d+: the server answered 429; waiting 3[0-3]\d s$/);
    stop.abort(new Error("stopped by hand"));
    await expect(pulled).rejects.toThrow();
  });

  test("a hub that asks for an hour is not waited for", async () => {
    using hub = openHub(FILES);
    hub.fail = asking("3600");
    await expect(pull(packageAt(hub.url), optionsOf(storeOf()))).rejects.toThrow("asks to wait 60 min");
  });

  test("no wait is longer than what was asked and a tenth, or than the backoff of the attempt", () => {
    for (const random of [0, 0.5, 0.999]) {
      expect(waitMs(1, { asked: 30_000, backoffMs: 500, random })).toBeWithin(30_000, 33_000);
      for (const attempt of [1, 2, 3, 4]) {
        const most = 500 * 2 ** (attempt - 1);
        expect(waitMs(attempt, { asked: null, backoffMs: 500, random })).toBeWithin(most / 2, most + 1);
      }
    }
  });
});

describe("a package with a second source", () => {
  const outcomes: [name: string, prepare: (hub: FakeHub) => void, expected: RegExp][] = [
    [
      "is gone",
      (hub) => hub[Symbol.dispose](),
      /^little, \S+: The download from \S+ failed: no connection\. Trying 127\.0\.0\.1/,
    ],
    [
      "answers 404 to some file",
      (hub) => void hub.files.delete("m/vocab.txt"),
      /^little, vocab\.txt: \S+ answered 404\. Trying/,
    ],
    [
      "answers 503 to every range",
      (hub) =>
        Object.assign(hub, {
          fail: ({ probes }) => (probes ? null : new Response(null, { status: 503 })),
        } satisfies Pick<FakeHub, "fail">),
      /the server answered 503/,
    ],
    [
      "has a shorter file",
      (hub) => void hub.files.set("m/vocab.txt", Buffer.from("a 0\n")),
      /it has 4 bytes, not 8/,
    ],
    [
      "has another file of the same length",
      (hub) => void hub.files.set("m/vocab.txt", Buffer.from("a 0\nb 2\n")),
      /sent a file with the hash/,
    ],
  ];
  test.each(outcomes)(
    "is pulled from it where the first %s, and says so",
    async (_name, prepare, expected) => {
      using first = openHub(FILES);
      using second = openHub(FILES);
      prepare(first);
      const weights = storeOf();
      const pkg = packageAt(first.url, { sources: [`${first.url}/m/`, `${second.url}/m/`] });
      for (const [index, bytes] of Object.values(FILES).entries())
        Object.assign(pkg.files[index]!, { bytes: bytes.length, sha256: sha256(bytes) });
      const printed: string[] = [];
      const reported: number[] = [];
      const notice = (line: string) => void printed.push(line);
      await pull(pkg, optionsOf(weights, { notice, report: ({ bytes }) => reported.push(bytes) }));
      expect(printed).toContainEqual(expect.stringMatching(expected));
      expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
      expect(contentOf(weights, "vocab.txt").toString()).toBe("a 0\nb 1\n");
      expect(reported.at(-1)).toBe(BIG.length + 8);
    },
  );

  test("continues there where a pull from the first was interrupted", async () => {
    using first = openHub(FILES);
    using second = openHub(FILES);
    const weights = storeOf();
    const file = { role: "model", path: "model.onnx", bytes: BIG.length, sha256: sha256(BIG) };
    const from = (hub: FakeHub) => packageAt(hub.url, { files: [file] });
    const stop = new AbortController();
    const report = ({ bytes }: { bytes: number }) => {
      if (bytes > 17 * MEGABYTE) stop.abort(new Error("stopped by hand"));
    };
    await expect(pull(from(first), optionsOf(weights, { signal: stop.signal, report }))).rejects.toThrow();
    await pull(from(second), optionsOf(weights));
    expect(contentOf(weights, "model.onnx").equals(BIG)).toBe(true);
    expect(second.asked.filter((each) => each.startsWith("GET cdn/")).length).toBeLessThan(4);
  });
});
