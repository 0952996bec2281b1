/** Promise: what speaks or listens when its package is removed goes on; what comes later is refused, or gets the new package. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installedFamilies } from "../../src/engine/families/installed.ts";
import { soleClaim } from "../../src/engine/runner.ts";
import { remove } from "../../src/models/store/store-writer.ts";
import { planSpeech } from "../../src/speech/plan.ts";
import { synthesize } from "../../src/speech/synthesize.ts";
import { STREAMING, streamingContents } from "../../testing/packages/families/nemo-streaming.ts";
import { piperContents } from "../../testing/packages/families/voices.ts";
import { whisperContents } from "../../testing/packages/families/whisper.ts";
import { packageOf, storePackage } from "../../testing/packages/model-store.ts";
import { dial, MANUAL } from "../api/v1/realtime/live.ts";
import { errorOf, type Harness, openHarness } from "../harness.ts";
import { takes, until } from "../until.ts";

setDefaultTimeout(120_000);

const weights = mkdtempSync(join(tmpdir(), "loquat-weights-"));
let server: Harness;
beforeAll(async () => {
  const environment = { LOQUAT_WEIGHTS: weights, LOQUAT_THREADS: "2" };
  server = await openHarness({ environment, isAlone: true });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(weights, { recursive: true, force: true });
});

const PAUSE_MS = 1500; // longer than the server takes to notice a removal
const speaks = installedFamilies().has("espeak");

describe.skipIf(!speaks)(`speech${speaks ? "" : " (skipped: eSpeak NG is not installed)"}`, () => {
  const contents = piperContents();
  const voice = {
    ...({
      id: "house",
      name: "House",
      language: "pl",
      locale: "pl-PL",
      gender: "male",
      speaker: "0",
    } as const),
    ...{ aliases: [], metadata: { style: null, age: null, description: null, use_cases: [] } },
  };
  const install = () =>
    storePackage(
      weights,
      packageOf("house-voice", "vits", { contents, offers: { voices: [voice] } }),
      contents,
    );
  const isOffered = () => server.parts.catalogue.voices.some(({ id }) => id === "house");
  const TEXT = Array.from({ length: 60 }, (_, at) => `Zdanie numer ${at + 1} tego tekstu.`).join(" ");
  const speech = () => {
    const request = {
      engine: "house-voice",
      speaker: "0",
      language: "pl-PL",
      speed: 1,
      kind: "synthesis" as const,
      instructions: "",
    };
    const engine = server.parts.registry.engine("house-voice");
    return synthesize(engine, { ...request, text: TEXT, claim: soleClaim() }, planSpeech(TEXT, "pl-PL"));
  };
  const speak = () =>
    server.ask("/v1/audio/speech", {
      method: "POST",
      body: JSON.stringify({ model: "svc-tts1", voice: "house", input: "Tak." }),
    });

  let expected = 0; // samples

  test("that is under way is spoken to its end, however slowly it is taken, and new requests are refused", async () => {
    install();
    await until(isOffered);
    for await (const samples of speech()) expected += samples.length;
    let spoken = 0;
    let wasRemoved = false;
    for await (const samples of speech()) {
      spoken += samples.length;
      if (wasRemoved) continue;
      wasRemoved = true;
      remove(weights, "house-voice");
      await until(() => !isOffered());
      await takes(PAUSE_MS);
      expect(await errorOf(await speak())).toMatchObject({ status: 404, code: "invalid_voice" });
    }
    expect(spoken).toBe(expected);
  });

  test("goes on where the package is installed again meanwhile, and new requests are spoken", async () => {
    install();
    await until(isOffered);
    let parts = 0;
    let spoken = 0;
    for await (const samples of speech()) {
      spoken += samples.length;
      if (++parts !== 1) continue;
      remove(weights, "house-voice");
      await until(() => !isOffered());
      install();
      await until(isOffered);
      expect((await speak()).status).toBe(200);
    }
    expect(spoken).toBe(expected);
    expect((await speak()).status).toBe(200);
  });

  test("whose engine had not started when its package was removed is refused as busy", async () => {
    install();
    await until(isOffered);
    const other = { ...voice, id: "other" };
    const made = packageOf("other-voice", "vits", { contents, offers: { voices: [other] } });
    storePackage(weights, made, contents);
    const engine = server.parts.registry.engine("other-voice");
    remove(weights, "other-voice");
    const task = {
      text: "Tak.",
      speaker: "0",
      language: "pl-PL",
      speed: 1,
      kind: "synthesis" as const,
      instructions: "",
    };
    await expect(engine.run(task, soleClaim())).rejects.toMatchObject({ code: "service_unavailable" });
  });
});

/** How many tasks an engine has ended. */
async function tasksOf(engine: string): Promise<number> {
  const line = new RegExp(`^loquat_engine_task_duration_seconds_count\\{engine="${engine}"\\} (.*)$`, "m");
  return Number(line.exec(await server.parts.metrics.text())?.[1] ?? 0);
}

const recording = Int16Array.from(
  { length: 24_000 * 3 },
  (_, index) => 9000 * Math.sin(index / 30) * Math.sin(index / 4000),
);

const streaming = streamingContents();
const whisper = whisperContents({ seed: 3 });
const LISTENING = [
  [
    "that keeps the state of a stream",
    packageOf("nemotron-3.5-streaming", "nemo-streaming", { options: STREAMING, contents: streaming }),
    streaming,
  ],
  [
    "that recognizes again and again",
    packageOf("house-recognizer", "whisper", {
      contents: whisper,
      offers: {
        recognition: [
          {
            uses: ["batch" as const, "streaming" as const, "realtime" as const],
            languages: ["en", "de"],
            rank: 99,
          },
        ],
      },
    }),
    whisper,
  ],
] as const;

test.each(LISTENING)(
  "a live session keeps a recognizer %s between its turns",
  async (_what, made, contents) => {
    storePackage(weights, made, contents);
    const isThere = () => server.parts.runsHere(made.name);
    await until(() => JSON.stringify(server.parts.catalogue.find("svc-stt1")).includes(made.name));
    const client = await dial(server);
    client.update({
      ...MANUAL,
      audio: { input: { ...MANUAL.audio.input, transcription: { model: "svc-stt1", language: "en" } } },
    });
    await client.until("session.updated");
    const turn = async (count: number) => {
      client.append(new Uint8Array(recording.buffer));
      client.commit();
      await client.until("input_audio_transcription.completed", count);
    };
    await turn(1);
    const tasks = () => tasksOf(made.name);
    expect(await tasks()).toBeGreaterThan(0);
    remove(weights, made.name);
    await until(() => !isThere());
    await takes(PAUSE_MS);
    const before = await tasks();
    await turn(2);
    expect(await tasks()).toBeGreaterThan(before);
    client.close();
  },
);
