/**
 * An agent of LiveKit in JavaScript that converses: a line of JSON in, a line of JSON out, one task at a time. Arguments:
 * base URL, key. The tasks are those of livekit_conversations.py.
 */
import { createInterface } from "node:readline";
import { Agent, AgentSession, AudioInput, AudioOutput, initializeLogger, llm } from "@livekit/agents";
import { realtime } from "@livekit/agents-plugin-openai";
import { AudioFrame } from "@livekit/rtc-node";

const [baseURL, apiKey] = process.argv.slice(1);
const RATE = 24_000;
const FRAME = RATE / 10;
const UNHEARD_MS = 3500; // of an answer, in which the framework hears nothing by default: echo cancellation warms up
initializeLogger({ pretty: false, level: "error" });

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function until(look) {
  while (!look()) await sleep(10);
}
const samplesOf = (sound) => {
  const bytes = Buffer.from(sound, "base64");
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};

/** Sends what is spoken at the pace of speech, and silence otherwise. */
class Microphone extends AudioInput {
  #spoken = new Int16Array();
  #timer;

  constructor() {
    super();
    const frames = new ReadableStream({
      start: (controller) => {
        this.#timer = setInterval(() => {
          const samples = new Int16Array(FRAME);
          samples.set(this.#spoken.subarray(0, FRAME));
          this.#spoken = this.#spoken.subarray(FRAME);
          controller.enqueue(new AudioFrame(samples, RATE, 1, FRAME));
        }, 100);
      },
    });
    this.multiStream.addInputStream(frames);
  }

  speak(sound) {
    this.#spoken = samplesOf(sound);
  }

  async close() {
    clearInterval(this.#timer);
    await super.close();
  }
}

/** Plays at the pace of speech. */
class Speaker extends AudioOutput {
  seconds = 0;
  begunMs = null;
  #pushedMs = 0;
  #end;

  constructor() {
    super(RATE);
  }

  async captureFrame(frame) {
    await super.captureFrame(frame);
    if (this.begunMs === null) {
      this.begunMs = Date.now();
      this.onPlaybackStarted(this.begunMs);
    }
    const seconds = frame.samplesPerChannel / frame.sampleRate;
    this.#pushedMs += seconds * 1000;
    this.seconds += seconds;
  }

  flush() {
    super.flush();
    if (this.begunMs !== null)
      this.#end = setTimeout(() => this.#finish(false), this.begunMs + this.#pushedMs - Date.now());
  }

  clearBuffer() {
    if (this.begunMs !== null) this.#finish(true);
  }

  #finish(interrupted) {
    clearTimeout(this.#end);
    const playedMs = Math.min(Date.now() - this.begunMs, this.#pushedMs);
    this.begunMs = null;
    this.#pushedMs = 0;
    this.onPlaybackFinished({ playbackPosition: playedMs / 1000, interrupted });
  }
}

/** An agent in conversation, with nothing set but the address and the key. */
async function call(tools, use) {
  const microphone = new Microphone();
  const speaker = new Speaker();
  const session = new AgentSession({ llm: new realtime.RealtimeModel({ baseURL, apiKey }) });
  const items = [];
  const errors = [];
  session.on("conversation_item_added", ({ item }) => items.push(item));
  session.on("error", ({ error }) => errors.push(String(error?.error ?? error)));
  session.input.audio = microphone;
  session.output.audio = speaker;
  await session.start({ agent: new Agent({ instructions: "Be kind.", tools }) });
  const texts = (role) =>
    items.flatMap((item) =>
      item.type === "message" && item.role === role && item.textContent ? [item.textContent] : [],
    );
  const result = (more = {}) => ({
    heard: texts("user"),
    said: texts("assistant"),
    seconds: speaker.seconds,
    errors,
    ...more,
  });
  try {
    return await use({ session, microphone, speaker, items, texts, result });
  } finally {
    await session.close();
    await microphone.close();
  }
}

const weatherOf = (cities) =>
  llm.tool({
    name: "weather",
    description: "The weather of a city.",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: async ({ city }) => {
      cities.push(city);
      return `sunny in ${city}`;
    },
  });

/** The session of the model alone, without the framework around it. */
async function live(use) {
  const session = new realtime.RealtimeModel({ baseURL, apiKey }).session();
  const events = [];
  const errors = [];
  session.on("openai_server_event_received", (event) => events.push(event));
  session.on("error", ({ error }) => errors.push(String(error)));
  const of = (type) => events.filter((event) => event.type === type);
  try {
    return { ...(await use(session, of)), errors };
  } finally {
    await session.close();
  }
}

/** The text of its message, its sound in seconds, and the id of the message. */
async function read({ messageStream }) {
  const { value: message } = await messageStream.getReader().read();
  let text = "";
  for await (const delta of message.textStream) text += typeof delta === "string" ? delta : delta.text;
  let seconds = 0;
  for await (const { samplesPerChannel } of message.audioStream) seconds += samplesPerChannel / RATE;
  return { text, seconds, id: message.messageId };
}

const TASKS = {
  write: (text) =>
    call([], async ({ session, texts, result }) => {
      session.generateReply({ userInput: text });
      await until(() => texts("assistant").length > 0);
      return result();
    }),

  speak: (sound) =>
    call([], async ({ microphone, texts, result }) => {
      microphone.speak(sound);
      await until(() => texts("assistant").length > 0);
      return result();
    }),

  use_tool(text) {
    const cities = [];
    return call([weatherOf(cities)], async ({ session, texts, result }) => {
      session.generateReply({ userInput: text });
      await until(() => texts("assistant").length > 0);
      return result({ cities });
    });
  },

  /** Speaks while the answer to the text is played, and waits for the next. */
  interrupt: (text, sound) =>
    call([], async ({ session, microphone, speaker, items, texts, result }) => {
      session.generateReply({ userInput: text });
      await until(() => speaker.begunMs !== null && Date.now() - speaker.begunMs > UNHEARD_MS);
      microphone.speak(sound);
      await until(() => texts("assistant").length === 2);
      return result({
        interrupted: items.filter(({ type }) => type === "message").map(({ interrupted }) => interrupted),
      });
    }),

  generate: (instructions) =>
    live(async (session, of) => {
      const begunMs = performance.now();
      await session.updateInstructions("Be kind.");
      await session.updateTools(new llm.ToolContext([weatherOf([])]));
      const answer = await read(await session.generateReply(instructions));
      const elapsed = (performance.now() - begunMs) / 1000;
      return { ...answer, elapsed, metadata: of("response.created")[0].response.metadata };
    }),

  /** A context of a question, a call and what it returned. */
  follow: () =>
    live(async (session, of) => {
      const context = llm.ChatContext.empty();
      const question = context.addMessage({ role: "user", content: "What is the weather?" });
      const made = { callId: "call_1", name: "weather" };
      const asked = llm.FunctionCall.create({ ...made, args: '{"city":"Oslo"}' });
      const output = llm.FunctionCallOutput.create({ ...made, output: "sunny", isError: false });
      context.insert([asked, output]);
      await session.updateChatCtx(context);
      const added = of("conversation.item.added").map((event) => [event.item.id, event.previous_item_id]);
      const answer = await read(await session.generateReply());
      return { ...answer, ids: [question.id, asked.id, output.id], added };
    }),

  /** Speaks, interrupts the answer, and says how much of it was played. */
  truncate: (sound, audioEndMs) =>
    live(async (session, of) => {
      const generated = new Promise((resolve) => session.once("generation_created", resolve));
      const samples = samplesOf(sound);
      session.pushAudio(new AudioFrame(samples, RATE, 1, samples.length));
      const generation = await generated;
      await until(() => of("response.output_audio.delta").length > 20);
      await session.interrupt();
      const answer = await read(generation);
      await session.truncate({ messageId: answer.id, modalities: ["audio", "text"], audioEndMs });
      await until(() => of("conversation.item.truncated").length > 0);
      const next = await read(await session.generateReply());
      return {
        ...answer,
        status: of("response.done")[0].response.status,
        cut: of("conversation.item.truncated")[0].audio_end_ms,
        next: next.text,
      };
    }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [task, ...given] = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ answer: await TASKS[task](...given) })}\n`);
}
process.exit(0);
