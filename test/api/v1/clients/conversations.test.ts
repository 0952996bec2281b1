/** Promise: stock realtime clients, old and new, hold conversations when only the URL and the key change. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from "@openai/agents-realtime";
import OpenAI from "openai";
import { OpenAIRealtimeWS as Live7 } from "openai/realtime/ws";
import OpenAI4 from "openai-4";
import { OpenAIRealtimeWS as Beta4 } from "openai-4/beta/realtime/ws";
import OpenAI6 from "openai-6";
import { OpenAIRealtimeWS as Live6 } from "openai-6/realtime/ws";
import { z } from "zod";
import { terminateTls } from "../../../tls.ts";
import { until } from "../../../until.ts";
import { testEveryEvent } from "../conversation/every-event.ts";
import { recordSockets } from "../conversation/recorded-sockets.ts";
import { openTalk, spoken, type Talk } from "../conversation/talk.ts";
import { scriptedLive } from "../realtime/live.ts";

setDefaultTimeout(120_000);

let talk: Talk;
let recorded: ReturnType<typeof recordSockets>;
let secure: Awaited<ReturnType<typeof terminateTls>>;
beforeAll(async () => {
  talk = await openTalk({ services: { live: scriptedLive(() => "what time is it").live } });
  recorded = recordSockets(talk.url);
  secure = await terminateTls(recorded.url);
});
afterAll(async () => {
  await secure[Symbol.asyncDispose]();
  await recorded[Symbol.asyncDispose]();
  await talk[Symbol.asyncDispose]();
});

type Event = { type: string; [field: string]: unknown };

/** What the sockets of all versions have in common. */
type Stock = {
  send(event: object): void;
  close(): void;
  on(event: string, listener: (event: never) => void): void;
};

const client = <C extends typeof OpenAI>(Client: C) =>
  new Client({ apiKey: talk.key, baseURL: `${secure.url}/v1` });
const options = { rejectUnauthorized: false };
const model = "gpt-realtime";

const written = { type: "input_text", text: "hello" };

/** A turn that is no live speech, by the events of its client; returns what it was told. */
async function textTurn(socket: Stock, part: object = written): Promise<Event[]> {
  const events: Event[] = [];
  const done = Promise.withResolvers<void>();
  socket.on("event", (event: never) => {
    events.push(event);
    const { type } = event as Event;
    if (type === "session.created") {
      socket.send({
        type: "conversation.item.create",
        item: { type: "message", role: "user", content: [part] },
      });
      socket.send({ type: "response.create" });
    }
    if (type === "response.done") done.resolve();
  });
  socket.on("error", (error: never) => done.reject(error));
  await done.promise;
  socket.close();
  return events;
}

const openings: [name: string, open: () => Stock][] = [
  ["openai 7", () => new Live7({ model, options }, client(OpenAI)) as never],
  ["openai 6", () => new Live6({ model, options }, client(OpenAI6 as never) as never) as never],
];
const openBeta = () => new Beta4({ model, options }, client(OpenAI4 as never) as never) as never;

test.each<[string, () => Stock]>([...openings, ["openai 4", openBeta]])(
  "a recording that %s puts into an item is answered",
  async (_name, open) => {
    talk.use("echo");
    const audio = (await spoken(talk, "What time is it?", 0)).toString("base64");
    const events = await textTurn(open(), { type: "input_audio", audio });
    const said = events.filter(({ type }) => /audio_transcript\.delta$/.test(type));
    expect(said.map(({ delta }) => delta).join("")).toBe("You said: what time is it.");
    expect(events.some(({ type }) => type === "error")).toBe(false);
  },
);

describe("a text turn of", () => {
  test.each(openings)("%s is spoken", async (_name, open) => {
    talk.use("echo");
    const events = await textTurn(open());
    const said = events.filter(({ type }) => type === "response.output_audio_transcript.delta");
    expect(said.map(({ delta }) => delta).join("")).toBe("You said: hello.");
    expect(events.some(({ type }) => type === "response.output_audio.delta")).toBe(true);
  });

  test("openai 4, by the names of the beta", async () => {
    talk.use("echo");
    const events = await textTurn(openBeta());
    const types = new Set(events.map(({ type }) => type));
    for (const type of [
      "conversation.item.created",
      "response.audio.delta",
      "response.audio_transcript.delta",
      "response.done",
    ])
      expect(types).toContain(type);
    expect(
      [...types].filter(
        (type) =>
          /output_audio\.|output_audio_transcript|item\.added$/.test(type) &&
          !type.startsWith("response.output_item"),
      ),
    ).toEqual([]);
    const { session } = events[0] as unknown as { session: object };
    expect(session).toMatchObject({
      modalities: ["text", "audio"],
      input_audio_format: "pcm16",
      output_audio_format: "pcm16",
    });
  });
});

describe("the Agents SDK", () => {
  async function open(
    agent: RealtimeAgent,
    use: (session: RealtimeSession, errors: unknown[]) => Promise<void>,
  ) {
    const url = `${recorded.url.replace("http", "ws")}/v1/realtime?model=${model}`;
    const transport = new OpenAIRealtimeWebSocket({ url, useInsecureApiKey: true });
    const session = new RealtimeSession(agent, { transport, model });
    const errors: unknown[] = [];
    session.on("error", ({ error }) => errors.push(error));
    await session.connect({ apiKey: talk.key, url });
    try {
      await use(session, errors);
    } finally {
      session.close();
    }
  }
  const agent = (more: object = {}) =>
    new RealtimeAgent({ name: "assistant", instructions: "Be kind.", ...more });
  const assistantTexts = (session: RealtimeSession): string[] =>
    session.history.flatMap((item) =>
      item.type === "message" && item.role === "assistant"
        ? item.content.map((part) =>
            "transcript" in part ? (part.transcript ?? "") : "text" in part ? part.text : "",
          )
        : [],
    );

  test("runs a tool once, and speaks of what it returned", async () => {
    talk.use("tool");
    let ran = 0;
    const weather = tool({
      name: "weather",
      description: "The weather of a city.",
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => {
        ran++;
        return `sunny in ${city}`;
      },
    });
    await open(agent({ tools: [weather] }), async (session, errors) => {
      session.sendMessage("What is the weather?");
      await until(() => assistantTexts(session).includes("It is sunny in Oslo."));
      expect(ran).toBe(1);
      expect(
        session.history.some((item) => item.type === "function_call" && item.output === "sunny in Oslo"),
      ).toBe(true);
      expect(errors).toEqual([]);
    });
  });

  test("is interrupted by speech, and its history has what was heard", async () => {
    talk.use("long");
    const question = await spoken(talk, "What time is it?");
    await open(agent(), async (session, errors) => {
      let interrupted = 0;
      let sound = 0;
      session.on("audio_interrupted", () => void interrupted++);
      session.on("audio", ({ data }) => {
        sound += data.byteLength;
      });
      session.sendMessage("Tell me everything.");
      await until(() => sound > 48_000);
      talk.use("echo");
      for (let offset = 0; offset < question.length; offset += 4800)
        session.sendAudio(new Uint8Array(question.subarray(offset, offset + 4800)).buffer);
      await until(() => assistantTexts(session).some((text) => text.startsWith("You said: what time is it")));
      expect(interrupted).toBe(1);
      expect(assistantTexts(session)[0]!.length).toBeLessThan(60);
      const told = talk.stub.calls.at(-1)!.body.messages.filter(({ role }) => role === "assistant");
      expect(told.map(({ content }) => content).join("")).not.toContain("number 2");
      expect(errors).toEqual([]);
    });
  });

  test("interrupts by itself, also when there is nothing to interrupt", async () => {
    talk.use("long");
    await open(agent(), async (session) => {
      let done = 0;
      session.transport.on("*", ({ type }: { type: string }) => {
        if (type === "response.done") done++;
      });
      let sound = 0;
      session.on("audio", ({ data }) => {
        sound += data.byteLength;
      });
      session.sendMessage("Tell me everything.");
      await until(() => sound > 48_000);
      session.interrupt();
      await until(() => done === 1);
      session.interrupt();
      talk.use("echo");
      session.sendMessage("hello");
      await until(() => assistantTexts(session).some((text) => text.endsWith("hello.")));
    });
  });

  test("edits the history", async () => {
    talk.use("echo");
    await open(agent(), async (session, errors) => {
      session.sendMessage("first");
      await until(() => assistantTexts(session).includes("You said: first."));
      session.updateHistory([]);
      await until(() => session.history.length === 0);
      session.sendMessage("second");
      await until(() => assistantTexts(session).includes("You said: second."));
      expect(JSON.stringify(talk.stub.calls.at(-1)!.body.messages)).not.toContain("first");
      expect(errors).toEqual([]);
    });
  });
});

testEveryEvent();
