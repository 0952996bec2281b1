/** Promise: a page opens a socket of a dialect with a token in place of the key, as far as the token goes. */
import { describe, expect, test } from "bun:test";
import { dialSpeech } from "./speech-dial.ts";
import { dialStream, RATE, refusedUpgrade, scriptedHarness, speech } from "./streamed.ts";

const scripted = scriptedHarness();

async function post(path: string, headers: Record<string, string>): Promise<Record<string, string>> {
  const response = await fetch(scripted.harness.url + path, { method: "POST", headers });
  expect(response.status).toBe(200);
  return response.json() as Promise<Record<string, string>>;
}

const single = async (type: string) =>
  (await post(`/v1/single-use-token/${type}`, { "xi-api-key": scripted.harness.key })).token!;
const granted = async () =>
  (await post("/v1/auth/grant", { authorization: `Token ${scripted.harness.key}` })).access_token!;

const LISTENING = `encoding=linear16&sample_rate=${RATE}`;
const SCRIBE = "/v1/speech-to-text/realtime?audio_format=pcm_24000&single_use_token=";
const SPEAKING = "/v1/text-to-speech/female-warm/stream-input?output_format=pcm_24000&single_use_token=";

describe("a token of ElevenLabs", () => {
  test("transcribes once", async () => {
    scripted.script({ rest: "here" });
    const token = await single("realtime_scribe");
    const stream = await dialStream(scripted.harness, { path: SCRIBE + token });
    await stream.until(({ message_type }) => message_type === "session_started");
    stream.close();
    const again = await dialStream(scripted.harness, { path: SCRIBE + token });
    expect((await again.closed).code).toBe(1008);
    expect(again.messages.at(-1)).toMatchObject({ message_type: "auth_error" });
  });

  test("speaks once", async () => {
    const token = await single("tts_websocket");
    const speaking = await dialSpeech(scripted.harness, { path: SPEAKING + token });
    speaking.send({ text: "Good morning. " });
    speaking.send({ text: "" });
    await speaking.until(({ isFinal }) => isFinal === true);
    expect(speaking.audio().length).toBeGreaterThan(5000);
    expect(speaking.head["x-ignored-fields"]).toBeUndefined();
    const again = await dialSpeech(scripted.harness, { path: SPEAKING + token });
    again.send({ text: "Good morning. " });
    expect((await again.closed()).code).toBe(1008);
  });

  test("does only what it is for", async () => {
    const speaking = await dialSpeech(scripted.harness, {
      path: SPEAKING + (await single("realtime_scribe")),
    });
    expect((await speaking.closed()).code).toBe(1008);
    const stream = await dialStream(scripted.harness, { path: SCRIBE + (await single("tts_websocket")) });
    expect((await stream.closed).code).toBe(1008);
  });
});

describe("a token of Deepgram", () => {
  test.each([`/v1/listen?${LISTENING}`, `/v2/listen?${LISTENING}`])(
    "hears at %s, as a bearer key and as a subprotocol",
    async (path) => {
      scripted.script({ rest: "here" });
      const token = await granted();
      const spoken = await speech(scripted.harness);
      for (const how of [
        { headers: { authorization: `bearer ${token}` } },
        { protocols: ["bearer", token] },
      ]) {
        const stream = await dialStream(scripted.harness, { path, ...how });
        stream.send(spoken);
        stream.send({ type: "CloseStream" });
        expect((await stream.closed).code).toBe(1000);
      }
    },
  );

  test("speaks", async () => {
    const headers = { authorization: `bearer ${await granted()}` };
    const speaking = await dialSpeech(scripted.harness, { path: "/v1/speak", headers });
    speaking.send({ type: "Speak", text: "Good morning." });
    speaking.send({ type: "Flush" });
    await speaking.until(({ type }) => type === "Flushed");
    expect(speaking.sound().length).toBeGreaterThan(5000);
    speaking.close();
  });

  test("that is unknown is refused", async () => {
    const headers = { authorization: "bearer ek_unknown" };
    const { status } = await refusedUpgrade(`${scripted.harness.url}/v2/listen?${LISTENING}`, headers);
    expect(status).toBe(401);
  });
});
