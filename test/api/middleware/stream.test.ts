/**
 * Promise: a stream ends once, and its log says how: completed, cancelled, failed, or aborted because the client does
 * not read.
 */
import { expect, test } from "bun:test";
import { byteStream } from "../../../src/api/middleware/stream.ts";
import { Refusal } from "../../../src/errors.ts";
import { type Ending, isCutShort } from "../../../src/metered/ending.ts";
import { until } from "../../until.ts";

function open(chunkCount: number, unreadMs = 60_000, { signal } = new AbortController()) {
  const endings: Ending[] = [];
  let isStopped = false;
  async function* chunks() {
    try {
      for (let index = 0; index < chunkCount; index++) yield Uint8Array.of(index);
    } finally {
      isStopped = true;
    }
  }
  const response = byteStream(chunks(), {
    mediaType: "audio/pcm",
    unreadMs,
    signal,
    end: (ending) => void endings.push(ending),
  });
  return { response, endings, isStopped: () => isStopped };
}

test("a stream that is read to its end ends with 200", async () => {
  const { response, endings } = open(3);
  expect([...(await response.bytes())]).toEqual([0, 1, 2]);
  expect(endings).toEqual([{ status: 200 }]);
});

test("a cancelled stream ends with 499, and stops its source", async () => {
  const { response, endings, isStopped } = open(3);
  const reader = response.body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(endings).toEqual([{ status: 499 }]);
  expect(isStopped()).toBe(true);
});

test("a stream that is not read is aborted, with its connection", async () => {
  const { response, endings, isStopped } = open(3, 1);
  const reader = response.body!.getReader();
  await reader.read();
  await until(() => endings.length > 0);
  expect(endings).toEqual([{ status: 499 }]);
  expect(isStopped()).toBe(true);
  await expect(reader.read()).rejects.toThrow("read nothing");
});

test.each([
  ["has left", new Error("the connection was closed"), 499],
  ["is cut by the server", new Refusal("service_unavailable", "The server is closing."), 503],
  ["is there", null, 502],
])("a stream that fails while its client %s ends with its status", async (_claim, reason, status) => {
  const controller = new AbortController();
  const endings: Ending[] = [];
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.of(1);
    if (reason) controller.abort(reason);
    throw reason ?? new Error("the engine failed");
  }
  const response = byteStream(chunks(), {
    mediaType: "audio/pcm",
    unreadMs: 60_000,
    signal: controller.signal,
    end: (ending) => void endings.push(ending),
  });
  await expect(response.bytes()).rejects.toThrow();
  expect(endings.map((ending) => [ending.status, isCutShort(ending)])).toEqual([
    [status as never, status !== 499],
  ]);
});
