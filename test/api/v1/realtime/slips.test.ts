/**
 * Promise: a mistake in one event of a session under another API's model name is answered, and the session goes on; failures end
 * it, and so does a mistake under an id of this server.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Harness, openHarness } from "../../../harness.ts";
import { type Client, dial, MANUAL, scriptedLive, silence } from "./live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ plan: "unmetered", services: { live: scriptedLive().live } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const input = (fields: object) => ({ type: "transcription", audio: { input: fields } });
const event =
  (type: string, fields: object = {}) =>
  (client: Client) =>
    client.send(type, { event_id: "mine", ...fields });
const raw = (frame: string) => (client: Client) => client.socket.send(frame);

type Slip = [name: string, act: (client: Client) => void, error: { code: string; param?: string }];
const SLIPS: Slip[] = [
  ["an unknown type", event("ping"), { code: "invalid_event", param: "type" }],
  ["response.cancel", event("response.cancel"), { code: "invalid_event", param: "type" }],
  ["response.create", event("response.create"), { code: "invalid_event", param: "type" }],
  ["conversation.item.truncate", event("conversation.item.truncate"), { code: "invalid_event" }],
  ["a byte order mark", raw('\uFEFF{"type":"input_audio_buffer.clear"}'), { code: "invalid_event" }],
  ["text that is not JSON", raw("hello"), { code: "invalid_event" }],
  ["an event without a type", raw("{}"), { code: "invalid_event", param: "type" }],
  ["no base64", event("input_audio_buffer.append", { audio: "§§§§" }), { code: "validation_error" }],
  ["no audio", event("input_audio_buffer.append"), { code: "validation_error", param: "audio" }],
  ["an item without its id", event("conversation.item.retrieve"), { code: "validation_error" }],
  ["an unknown item", event("conversation.item.delete", { item_id: "x" }), { code: "item_not_found" }],
  [
    "a field of a wrong type",
    event("session.update", { session: input({ turn_detection: { threshold: 2 } }) }),
    { code: "validation_error", param: "session.audio.input.turn_detection.threshold" },
  ],
  [
    "an unknown language",
    event("session.update", { session: input({ transcription: { language: "de" } }) }),
    { code: "unsupported_language" },
  ],
  [
    "an unknown model",
    event("session.update", { session: input({ transcription: { model: "nobody" } }) }),
    { code: "invalid_model" },
  ],
];

const OTHERS = "intent=transcription&model=gpt-4o-transcribe";

test.each(SLIPS)(
  "after %s the session goes on, and nothing of the event has happened",
  async (_name, act, expected) => {
    const client = await dial(harness, { query: OTHERS });
    client.update(MANUAL);
    client.append(silence(0.5));
    act(client);
    client.append(silence(0.5));
    client.commit();
    const { transcript } = await client.until("completed");
    expect(transcript).toBe("1.00");
    const errors = client.events.filter(({ type }) => type === "error");
    expect(errors).toMatchObject([
      { error: { ...expected, type: expect.stringMatching(/^(invalid_request|not_found)$/) } },
    ]);
    client.close();
  },
);

describe("a session of the same mistake", () => {
  test.each(["model=svc-stt1", "intent=transcription", "intent=transcription&model=svc-stt1"])(
    "ends, opened with %s",
    async (query) => {
      const client = await dial(harness, { query });
      client.send("ping");
      expect(await client.ended()).toMatchObject({ close: 1008, code: "invalid_event" });
    },
  );

  test("goes on from when an update names another API's model, and ends after one that names its own", async () => {
    const client = await dial(harness);
    client.update(input({ transcription: { model: "gpt-4o-transcribe" } }));
    client.send("ping");
    await client.until("error");
    client.update(input({ transcription: { model: "svc-stt1" } }));
    await client.until("updated", 2);
    client.send("ping");
    expect(await client.ended()).toMatchObject({ close: 1008, code: "invalid_event" });
  });
});

test("under another API's name a binary frame still ends a session", async () => {
  const client = await dial(harness, { query: OTHERS });
  await client.until("created");
  client.socket.send(new Uint8Array(100));
  expect(await client.ended()).toMatchObject({ close: 1008, code: "invalid_event" });
});

describe("audio that would be transcribed wrongly is refused by name:", () => {
  test.each([
    ["two channels", { type: "audio/pcm", channels: 2 }, "channels"],
    ["samples of 32 bits", { type: "audio/pcm", bits_per_sample: 32 }, "bits_per_sample"],
    ["samples of 4 bytes", { type: "audio/pcm", sample_width: 4 }, "sample_width"],
    ["G.711 at 16 kHz", { type: "audio/pcmu", rate: 16_000 }, "rate"],
    ["a sample rate too high", { type: "audio/pcm", sample_rate: 96_000 }, "sample_rate"],
  ])("%s", async (_name, format, field) => {
    const client = await dial(harness, { query: OTHERS });
    client.update(input({ format }));
    const { error } = await client.until("error");
    expect(error).toMatchObject({ code: "validation_error", param: `session.audio.input.format.${field}` });
    client.close();
  });

  test("a field that may have one value says which", async () => {
    const client = await dial(harness, { query: OTHERS });
    client.update(input({ format: { type: "audio/pcm", channels: 2 } }));
    const { error } = await client.until("error");
    expect(error).toMatchObject({ message: expect.stringMatching(/channels must be 1, not 2\.$/) });
    client.close();
  });

  test("what says the same in other words is accepted", async () => {
    const client = await dial(harness, { query: OTHERS });
    client.update(
      input({ format: { type: "audio/pcm", sample_rate: 16_000, channels: 1, sample_width: 2 } }),
    );
    expect(await client.until("updated")).toMatchObject({
      session: { audio: { input: { format: { type: "audio/pcm", rate: 16_000 } } } },
    });
    client.close();
  });
});

test("the odd byte of an append belongs to the next", async () => {
  const client = await dial(harness, { query: OTHERS });
  client.update(MANUAL);
  for (let sent = 0; sent < 16; sent++) client.append(new Uint8Array(2999 + 2 * (sent % 2)));
  client.commit();
  expect(await client.until("completed")).toMatchObject({ transcript: "1.00", usage: { seconds: 1 } });
  client.close();
});
