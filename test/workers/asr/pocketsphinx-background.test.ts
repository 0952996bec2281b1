/** Promise: a recording for which no caller waits is recognized behind tasks of this process for which one does. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { ASR_SAMPLE_RATE } from "../../../src/audio/rates.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import type { Precedence } from "../../../src/engine/protocol/recognition.ts";
import { awaited } from "../../../src/engine/scheduler.ts";
import { openThreadPool } from "../../../src/engine/threads/thread-pool.ts";

setDefaultTimeout(120_000);

const unless = installedFamilies().has("sphinx") ? "" : " (skipped: libpocketsphinx is not installed)";
const worker = new URL("../../../workers/asr/pocketsphinx/pocketsphinx.ts", import.meta.url);
const pool = unless ? null : openThreadPool(worker, { size: 2 });
afterAll(() => pool?.[Symbol.asyncDispose]());

const ended: string[] = [];

async function recognized(name: string, precedence: Precedence): Promise<void> {
  const samples = Float32Array.from({ length: 2 * ASR_SAMPLE_RATE }, (_, at) => Math.sin(at * at) / 2);
  const { port1, port2 } = new MessageChannel();
  const cancel = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const spans = [{ start: 0, end: samples.length }];
  const words = { language: "en", prompt: "", wordTimes: true };
  const task = { kind: "recognition", samples, spans, ...words, precedence, cancel, port: port2 } as const;
  await pool!.run(task, [port2 as never, samples.buffer]);
  port1.close();
  ended.push(name);
}

test.skipIf(unless !== "")(`it pauses while a task is awaited, and goes on then${unless}`, async () => {
  Atomics.add(awaited, 0, 1);
  const background = recognized("in the background", "background");
  await recognized("of a caller", "recording");
  await recognized("of a caller", "recording");
  Atomics.sub(awaited, 0, 1);
  Atomics.notify(awaited, 0);
  await background;
  expect(ended).toEqual(["of a caller", "of a caller", "in the background"]);
});
