/** A harness whose only engine node is a stand-in, which answers as a test says, and what every test of it asserts. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "bun:test";
import { differencesOf } from "../../../../src/ledger/verify.ts";
import { STREAMING, streamingContents } from "../../../../testing/packages/families/nemo-streaming.ts";
import { kokoroContents } from "../../../../testing/packages/families/voices.ts";
import { packageOf } from "../../../../testing/packages/model-store.ts";
import {
  type Asked,
  offerOf,
  openStandInNode,
  type Reply,
  type StandInNode,
} from "../../../engine/remote/stand-in-node.ts";
import { type Harness, openHarness } from "../../../harness.ts";
import { until } from "../../../until.ts";

const SECRET = "one secret of the nodes of this test";
const OFFERS = [
  offerOf(packageOf("kokoro-82m", "kokoro", { contents: kokoroContents() })),
  offerOf(
    packageOf("nemotron-3.5-streaming", "nemo-streaming", {
      ...{ options: STREAMING, contents: streamingContents() },
    }),
    true,
  ),
];

export type Lie = [claim: string, answer: (asked: Asked, reply: Reply) => unknown];

/** For the tests of one file, each with a node of its own. Afterwards the server is well and the ledger adds up. */
export function withLyingNode() {
  let harness: Harness;
  let node: StandInNode;
  let spentBefore: number;
  const fleet = () => harness.parts.fleet!.fleet;
  const allSpent = async () => (await harness.parts.ledger.totals(harness.organizationId)).costMicros;
  beforeAll(async () => {
    harness = await openHarness({ environment: { LOQUAT_ENGINE_SECRET: SECRET }, isAlone: true });
  });
  afterAll(() => harness[Symbol.asyncDispose]());
  beforeEach(async () => {
    node = await openStandInNode({ url: harness.url, secret: SECRET, offers: OFFERS });
    await until(() => fleet().nodes().length === 1);
    spentBefore = await allSpent();
  });
  afterEach(async () => {
    expect((await fetch(`${harness.url}/healthz`)).status).toBe(200);
    expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
    node[Symbol.dispose]();
    await until(() => fleet().nodes().length === 0);
  });
  return {
    harness: () => harness,
    node: () => node,
    /** One more, with the same engines, which the test disposes of. */
    async join() {
      const other = await openStandInNode({ url: harness.url, secret: SECRET, offers: OFFERS });
      await until(() => fleet().nodes().length === 2);
      return other;
    },
    /** Micros of the test. */
    spent: async () => (await allSpent()) - spentBefore,
    speak: (fields: object = {}) =>
      harness.ask("/v1/audio/speech", {
        method: "POST",
        body: JSON.stringify({
          ...{ model: "svc-tts1", voice: "female-warm", input: INPUT, response_format: "pcm" },
          ...fields,
        }),
      }),
    transcribe: () => harness.ask("/v1/audio/transcriptions", { method: "POST", body: recording() }),
    /** Every task was ended at the node too. */
    nothingPending: () => until(() => node.asked.every(({ id }) => node.cancelled.includes(id))),
  };
}

export const INPUT = "The harbour lights came on one by one.";
export const OTHER = "Nobody had told the baker that the street would be closed until noon.";
export const MICROS = 15; // a character
export const tone = (seconds: number) =>
  Float32Array.from({ length: 24_000 * seconds }, (_, at) => 0.3 * Math.sin(at / 20));

/** A WAV file of two seconds of a hum. */
function recording(): FormData {
  const samples = Int16Array.from({ length: 32_000 }, (_, at) => 8000 * Math.sin(at / 20));
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + samples.byteLength, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(samples.byteLength, 40);
  const form = new FormData();
  form.set("file", new File([head, samples], "hum.wav"));
  form.set("model", "svc-stt1");
  form.set("response_format", "verbose_json");
  return form;
}

export const word = (text: string, fields: object = {}) => ({
  text,
  start: 0.1,
  end: 0.5,
  confidence: 0.9,
  ...fields,
});
export const hypothesis = (fields: object = {}) => ({ start: 0, end: 1, words: [word("hello")], ...fields });
