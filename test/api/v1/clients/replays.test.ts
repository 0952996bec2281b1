/**
 * Promise: the exact calls of common applications work without any setting but the address and the key, for an
 * organization that is not metered.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { installedFamilies } from "../../../../src/engine/families/installed.ts";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { RECORDING_REPLAYS } from "./recording-replays.ts";
import type { Outcome, Replay } from "./replay.ts";
import { SPEECH_REPLAYS } from "./speech-replays.ts";

const families = installedFamilies();
const [isRecognized, isDecoded] = [families.has("sphinx"), families.has("decode")];

let harness: Harness;
const recordings = new Map<string, Blob>();
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered" });
  for (const format of ["wav", "mp3", "opus"]) {
    const input = "We are at the old house by the river.";
    const body = { model: "svc-tts1", voice: "male-deep", input, response_format: format };
    const spoken = await harness.ask("/v1/audio/speech", { method: "POST", body: JSON.stringify(body) });
    recordings.set(format, await spoken.blob());
  }
});
afterAll(() => harness[Symbol.asyncDispose]());

function send({ method = "POST" as never, path, headers = {}, json, form, file }: Replay): Promise<Response> {
  if (json) {
    const type = { "content-type": "application/json", ...headers };
    return harness.ask(path, { method, headers: type, body: JSON.stringify(json) });
  }
  if (!form || !file) return harness.ask(path, { method, headers });
  const body = new FormData();
  for (const [name, value] of form) body.append(name, value);
  body.set("file", recordings.get(file[1])!, file[0]);
  return harness.ask(path, { method, headers, body });
}

/** As the applications read it. */
const READS: Record<Outcome, (response: Response) => Promise<void>> = {
  async "200"(response) {
    await response.json();
  },
  async mp3(response) {
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    const bytes = await response.bytes();
    expect(bytes.length).toBeGreaterThan(1024);
    expect([bytes[0], bytes[1]! >> 5]).toEqual([0xff, 0b111]); // a frame, not a tag: clips are joined end to end
  },
  async pcm(response) {
    const bytes = await response.bytes();
    expect([bytes.length > 24_000, bytes.length % 2]).toEqual([true, 0]);
  },
  async text(response) {
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(((await response.json()) as { text: string }).text).toContain("house");
  },
  async verbose(response) {
    const body = (await response.json()) as {
      text: string;
      language: string;
      duration: number;
      segments: object[];
    };
    expect(body).toMatchObject({ text: expect.stringContaining("house"), language: "english" });
    expect(body.duration).toBeGreaterThan(1);
    const members = ["id", "seek", "start", "end", "text", "tokens", "temperature", "avg_logprob"];
    for (const segment of body.segments)
      expect(Object.keys(segment)).toEqual([...members, "compression_ratio", "no_speech_prob"]);
  },
  async "speech events"(response) {
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const events = (await response.text()).match(/(?<=^data: ).*$/gm)!.map((data) => JSON.parse(data));
    expect(events[0]).toMatchObject({ type: "speech.audio.delta", audio: expect.any(String) });
    expect(events.at(-1)).toMatchObject({ type: "speech.audio.done", usage: expect.any(Object) });
  },
  async "text or events"(response) {
    const body = await response.text();
    if (response.headers.get("content-type")!.startsWith("application/json")) return void JSON.parse(body);
    expect(body).toContain("event: transcript.text.done");
  },
};

const isPossible = ({ file }: Replay) => !file || (isRecognized && (isDecoded || file[1] === "wav"));

describe("the call of", () => {
  test.each(
    [...SPEECH_REPLAYS, ...RECORDING_REPLAYS]
      .filter(isPossible)
      .map((replay) => [replay.client, replay] as const),
  )("%s", async (_, replay) => {
    const response = await send(replay);
    if (response.status !== 200) expect(await response.text()).toBe("");
    if (replay.headers?.Origin) expect(response.headers.get("access-control-allow-origin")).toBe("*");
    await READS[replay.outcome](response);
  });

  test.skipIf(!isRecognized)("Open WebUI with a recording in JSON", async () => {
    const data = Buffer.from(await recordings.get("wav")!.arrayBuffer()).toString("base64");
    const body = JSON.stringify({ model: "", input_audio: { data, format: "wav" } });
    const headers = { "content-type": "application/json" };
    await READS.text(await harness.ask("/v1/audio/transcriptions", { method: "POST", headers, body }));
  });

  test("SillyTavern without any text is an error, not audio", async () => {
    const body = JSON.stringify({
      input: "",
      response_format: "mp3",
      voice: "alloy",
      speed: 1,
      model: "tts-1",
    });
    expect(await errorOf(await harness.ask("/v1/audio/speech", { method: "POST", body }))).toMatchObject({
      status: 422,
      message: "input is empty.",
    });
  });

  test("Buzz for a translation names what to install", async () => {
    const body = new FormData();
    body.set("model", "whisper-1");
    body.set("file", recordings.get("wav")!, "part.wav");
    expect(
      await errorOf(await harness.ask("/v1/audio/translations", { method: "POST", body })),
    ).toMatchObject({
      status: 400,
      code: "translation_not_supported",
    });
  });

  test("Whispering, which sends no key, is refused with the message that it shows", async () => {
    const body = new FormData();
    body.set("file", recordings.get("wav")!, "recording.wav");
    const response = await fetch(`${harness.url}/v1/audio/transcriptions`, { method: "POST", body });
    expect(await errorOf(response)).toMatchObject({ status: 401, code: "missing_api_key" });
  });
});
