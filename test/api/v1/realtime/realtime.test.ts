/**
 * Promise: a session executes events in order, with exact fields, in the current and the beta protocol, until it ends.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { errorOf, type Harness, openHarness } from "../../../harness.ts";
import { dial, MANUAL, scriptedLive, silence } from "./live.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ services: { live: scriptedLive().live } });
});
afterAll(() => harness[Symbol.asyncDispose]());

const input = (fields: object) => ({ type: "transcription", audio: { input: fields } });

describe("an open session", () => {
  test("starts with session.created and every field", async () => {
    const client = await dial(harness);
    const { session, event_id } = await client.until("created");
    expect(event_id).toMatch(/^event_/);
    const { id, expires_at, ...rest } = session as { id: string; expires_at: number };
    expect(id).toMatch(/^sess_[0-9a-z]{24}$/);
    expect(expires_at).toBe(Math.floor(harness.clock.now() / 1000) + 3600);
    const fields: object = rest;
    expect(fields).toEqual({
      type: "transcription",
      object: "realtime.transcription_session",
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          transcription: { model: "svc-stt1", language: null, prompt: "" },
          noise_reduction: null,
          turn_detection: {
            type: "server_vad",
            threshold: 0.5,
            prefix_padding_ms: 300,
            silence_duration_ms: 500,
          },
        },
      },
      include: null,
    });
    client.close();
  });

  test("keeps how strong noise reduction is until an update names it, and refuses what is not 0 to 1", async () => {
    const client = await dial(harness);
    const updates: (object | null)[] = [{ type: "far_field", strength: 0.4 }, { type: "near_field" }, null];
    for (const noise_reduction of [...updates, { strength: 1 }]) client.update(input({ noise_reduction }));
    const toldAfter = async (count: number) => (await client.until("updated", count)).session as never;
    const told = [
      { type: "far_field", strength: 0.4 },
      { type: "near_field", strength: 0.4 },
      null,
      { strength: 1 },
    ];
    for (const [index, noise_reduction] of told.entries())
      expect(await toldAfter(index + 1)).toMatchObject({ audio: { input: { noise_reduction } } });
    client.close();
    for (const strength of [-0.1, 1.1, "0.5"]) {
      const wrong = await dial(harness);
      wrong.update(input({ noise_reduction: { type: "near_field", strength } }));
      const { error } = (await wrong.until("error")) as { error?: { param: string } };
      expect(error?.param).toEndWith("noise_reduction.strength");
      wrong.close();
    }
  });

  test("changes only the fields that an update names, and null clears one", async () => {
    const client = await dial(harness);
    client.update(input({ turn_detection: { threshold: 0.7 }, transcription: { language: "en" } }));
    client.update(input({ noise_reduction: { type: "near_field" } }));
    client.update(input({ turn_detection: { type: "semantic_vad" } }));
    client.update({ ...MANUAL, include: ["item.input_audio_transcription.logprobs"] });
    client.update(input({ format: { type: "audio/pcma" } }));
    const sessionAfter = async (count: number) => (await client.until("updated", count)).session as never;
    const settings = { language: "en", model: "svc-stt1", prompt: "" };
    expect(await sessionAfter(1)).toMatchObject({
      audio: {
        input: { turn_detection: { threshold: 0.7, silence_duration_ms: 500 }, transcription: settings },
      },
    });
    expect(await sessionAfter(2)).toMatchObject({
      audio: { input: { noise_reduction: { type: "near_field" } } },
    });
    expect(await sessionAfter(3)).toMatchObject({
      audio: { input: { turn_detection: { type: "semantic_vad", eagerness: "auto" } } },
    });
    expect(await sessionAfter(4)).toMatchObject({
      audio: { input: { turn_detection: null } },
      include: ["item.input_audio_transcription.logprobs"],
    });
    expect(await sessionAfter(5)).toMatchObject({
      audio: { input: { format: { type: "audio/pcma" }, transcription: settings } },
    });
    client.close();
  });

  test("executes events in order, however they arrive", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    for (let index = 0; index < 50; index++) client.append(silence(0.01));
    client.commit();
    client.append(silence(0.2));
    client.commit();
    const first = await client.until("completed");
    const second = await client.until("completed", 2);
    expect([first.usage, second.usage]).toEqual([
      { type: "duration", seconds: expect.closeTo(0.5, 9) },
      { type: "duration", seconds: expect.closeTo(0.2, 9) },
    ]);
    expect(client.events.map(({ event_id }) => event_id)).toHaveLength(
      new Set(client.events.map(({ event_id }) => event_id)).size,
    );
    client.send("conversation.item.retrieve", { item_id: first.item_id });
    const { item } = (await client.until("retrieved")) as unknown as {
      item: { content: { transcript: string }[] };
    };
    expect(item.content[0]?.transcript).toBe(first.transcript as string);
    client.send("conversation.item.delete", { item_id: first.item_id });
    expect(await client.until("deleted")).toMatchObject({ item_id: first.item_id });
    client.close();
  });

  test("accepts any chunking, even half samples, and base64 without padding", async () => {
    const client = await dial(harness);
    client.update(MANUAL);
    const noise = randomBytes(24_001);
    for (let offset = 0; offset < noise.length; offset += 101) {
      const audio = noise
        .subarray(offset, offset + 101)
        .toString("base64")
        .replaceAll("=", "");
      client.send("input_audio_buffer.append", { audio });
    }
    client.commit();
    expect((await client.until("completed")).usage).toEqual({ type: "duration", seconds: 24_001 / 48_000 });
    client.close();
  });

  test.each([
    [{ type: "audio/pcm", rate: 8000 }, 16_000],
    [{ type: "audio/pcm", rate: 16_000 }, 32_000],
    [{ type: "audio/pcm", rate: 44_100 }, 88_200],
    [{ type: "audio/pcm", rate: 48_000 }, 96_000],
    [{ type: "audio/pcmu" }, 8000],
    [{ type: "audio/pcma" }, 8000],
  ])("counts the seconds of %j", async (format, second) => {
    const client = await dial(harness);
    client.update(input({ turn_detection: null, format }));
    client.append(silence(1, second));
    client.commit();
    const { usage, transcript } = await client.until("completed");
    expect(usage).toEqual({ type: "duration", seconds: 1 });
    expect(Math.abs(Number(transcript) - 1)).toBeLessThan(0.02);
    client.close();
  });

  test("is a transcription session, whatever intent the client names", async () => {
    const client = await dial(harness, { query: "model=svc-stt1" });
    const audio = { input: { transcription: { model: "somebody-elses" }, turn_detection: null } };
    client.update({
      type: "realtime",
      model: "svc-stt1",
      audio,
      voice: "alloy",
      tools: [{}],
      instructions: "x",
    });
    expect((await client.until("updated")).session).toMatchObject({
      type: "transcription",
      audio: { input: { transcription: { model: "svc-stt1" }, turn_detection: null } },
    });
    client.close();
  });

  test("uses beta events when the client asks by header or subprotocol", async () => {
    const headers = { authorization: `Bearer ${harness.key}`, "openai-beta": "realtime=v1" };
    const client = await dial(harness, { headers });
    expect(await client.until("created")).toMatchObject({
      type: "transcription_session.created",
      session: {
        object: "realtime.transcription_session",
        input_audio_format: "pcm16",
        modalities: ["text"],
      },
    });
    client.send("transcription_session.update", {
      session: { input_audio_format: "g711_ulaw", turn_detection: null, input_audio_noise_reduction: null },
    });
    expect(await client.until("transcription_session.updated")).toMatchObject({
      session: { input_audio_format: "g711_ulaw", turn_detection: null },
    });
    client.append(silence(1, 8000));
    client.commit();
    expect(await client.until("conversation.item.created")).toMatchObject({ item: { role: "user" } });
    await client.until("completed");
    client.close();
    const protocols = ["realtime", `openai-insecure-api-key.${harness.key}`, "openai-beta.realtime-v1"];
    const other = await dial(harness, { query: "model=svc-stt1", headers: {}, protocols });
    expect(await other.until("created")).toMatchObject({
      type: "session.created",
      session: { object: "realtime.session" },
    });
    other.close();
  });

  test("never selects a key as subprotocol", async () => {
    const key = `openai-insecure-api-key.${harness.key}`;
    const other = await dial(harness, { headers: {}, protocols: [key, "something-else"] });
    await other.until("created");
    expect(other.socket.protocol).toBe("something-else");
    other.close();
    const refused = await harness.ask("/v1/realtime", {
      headers: {
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
        "sec-websocket-protocol": key,
      },
    });
    expect(refused.headers.get("sec-websocket-protocol")).toBeNull();
    expect(await errorOf(refused)).toMatchObject({ status: 400, code: "upgrade_required" });
  });

  test("selects the subprotocol realtime, and never returns a key", async () => {
    const protocols = [`openai-insecure-api-key.${harness.key}`, "realtime", "openai-organization.org_1"];
    const client = await dial(harness, { headers: {}, protocols });
    await client.until("created");
    expect(client.socket.protocol).toBe("realtime");
    client.close();
  });

  test.each(["input_audio_buffer_commit_empty", "item_not_found"])("continues after %s", async (code) => {
    const client = await dial(harness);
    if (code === "item_not_found")
      client.send("conversation.item.retrieve", { item_id: "item_none", event_id: "e1" });
    else client.send("input_audio_buffer.commit", { event_id: "e1" });
    const { error } = await client.until("error");
    expect(error).toMatchObject({ code, event_id: "e1", request_id: expect.stringMatching(/^req_/) });
    client.update({});
    await client.until("updated");
    client.close();
  });

  test("ends after an hour, after the transcripts of committed audio", async () => {
    const client = await dial(harness);
    await client.until("created");
    harness.clock.pass(3_600_000);
    expect(await client.ended()).toMatchObject({
      close: 1001,
      code: "session_expired",
      type: "invalid_request",
    });
  });
});
