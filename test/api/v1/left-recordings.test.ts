/** Promise: a client that leaves a long recording frees its recognizer: no further part of the recording begins. */
import { expect, test } from "bun:test";
import { toInt16, wavHeader } from "../../../src/audio/pcm.ts";
import { installedFamilies } from "../../../src/engine/families/installed.ts";
import { clip, hasClips } from "../../clips.ts";
import { joined, openTestNode } from "../../engine-node.ts";
import { openHarness } from "../../harness.ts";
import { countTurns } from "../../turns.ts";
import { until } from "../../until.ts";
import { form } from "./form.ts";
import { SECOND } from "./free.ts";

const recognizes = hasClips && installedFamilies().has("sphinx");
const unlessRecognition = recognizes
  ? ""
  : " (skipped: libpocketsphinx or the shared recordings are missing)";
const RATE = 8000;
const LONG_SECONDS = 240;
const SHORT_SECONDS = 5;

/** Speech from end to end, with a pause of a second after each repetition of a sentence. */
async function recordings() {
  const sentence = Buffer.from(toInt16(await clip("speech-en/LJ001-0008.wav", RATE)).buffer);
  const spoken = Buffer.concat([sentence, Buffer.alloc(2 * RATE)]);
  const wavOf = (seconds: number) =>
    Buffer.concat([wavHeader(seconds * RATE, RATE), Buffer.alloc(2 * seconds * RATE, spoken)]);
  const sentences = Math.floor((2 * RATE * LONG_SECONDS) / spoken.length);
  return { long: wavOf(LONG_SECONDS), short: wavOf(SHORT_SECONDS), sentences };
}

test.skipIf(!recognizes).each([
  ["", "this node"],
  ["streamed ", "this node"],
  ["", "an engine node"],
])(`a %srecording that its client left takes no more turns of %s${unlessRecognition}`, async (manner, at) => {
  const environment = { LOQUAT_THREADS: "1" };
  await using remote = at === "this node" ? null : openTestNode(environment);
  await using harness = await openHarness({
    environment: { ...environment, ...remote?.environment },
    isAlone: remote === null,
  });
  if (remote) await joined(harness.parts);
  const { registry } = remote?.node ?? harness.parts;
  const { long, short, sentences } = await recordings();
  const counted = countTurns(registry);
  const transcribe = (file: Uint8Array, init: RequestInit = {}) =>
    harness.ask("/v1/audio/transcriptions", {
      ...form([
        ["model", "svc-stt1"],
        ["stream", String(manner !== "")],
        ["file", file],
      ]),
      ...init,
    });
  const requests = () => harness.logged.filter(({ event }) => event === "request");
  const isIdle = () => registry.loads().every(({ running, waiting }) => running + waiting === 0);

  const left = new AbortController();
  const answering = transcribe(long, { signal: left.signal }).catch(() => null);
  await until(() => counted.turns >= 3); // one looks for speech, and then each is a part
  left.abort();
  await answering; // held until here: an answer that nothing refers to is collected, and its connection closed
  await until(() => requests().length === 1 && isIdle());
  expect(counted.turns).toBeLessThan(sentences / 2);
  expect(requests()[0]!.status).toBe(499);
  expect(requests()[0]!.costMicros).toBeLessThan((LONG_SECONDS * SECOND) / 2);

  const before = counted.turns;
  const answer = await transcribe(short);
  expect([answer.status, (await answer.text()).length > 0]).toEqual([200, true]);
  expect(counted.turns - before).toBe(1); // its own
});
