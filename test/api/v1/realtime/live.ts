/** A client of the realtime socket that keeps everything it is told, and a recogniser that hears what a test says. */
import type { Refusal } from "../../../../src/errors.ts";
import type { LiveOptions, LiveRecognizer } from "../../../../src/transcription/live.ts";
import type { Harness } from "../../../harness.ts";
import { openKeptSocket } from "../../../kept-socket.ts";
import { takes } from "../../../until.ts";

export type ServerEvent = { type: string; event_id: string; item_id?: string; [field: string]: unknown };
type ErrorEvent = {
  type: string;
  code: string;
  message: string;
  param: string | null;
  [field: string]: unknown;
};

type Dial = { query?: string; headers?: Record<string, string>; protocols?: string[] };

export async function dial(
  { url, key }: Pick<Harness, "url" | "key">,
  { query = "intent=transcription", headers, protocols }: Dial = {},
) {
  const { socket, messages, closed, until } = await openKeptSocket<ServerEvent>(
    `${url}/v1/realtime?${query}`,
    { headers: headers ?? { authorization: `Bearer ${key}` }, protocols },
  );
  const events = messages;
  const send = (type: string, fields: object = {}) => socket.send(JSON.stringify({ type, ...fields }));
  return {
    socket,
    events,
    closed,
    send,
    append: (bytes: Uint8Array) =>
      send("input_audio_buffer.append", { audio: Buffer.from(bytes).toString("base64") }),
    commit: () => send("input_audio_buffer.commit"),
    update: (session: object) => send("session.update", { session }),
    types: () => events.map(({ type }) => type.split(".").at(-1)),
    /** The `count`th event whose type ends so; fails where the socket closes before it. */
    until: (end: string, count = 1): Promise<ServerEvent> =>
      until(
        () => events.filter(({ type }) => type === end || type.endsWith(`.${end}`))[count - 1],
        () => `${end}: ${JSON.stringify(events.at(-1))}`,
      ),
    /** The error that ended it, with the code it was closed with. */
    async ended() {
      const { code, reason } = await closed;
      const { error } = (events.at(-1) ?? {}) as { error?: ErrorEvent };
      return { close: code, reason, code: error?.code, type: error?.type, param: error?.param, error };
    },
    close: () => socket.close(),
  };
}

export type Client = Awaited<ReturnType<typeof dial>>;

/** An update to turns that the client ends itself. */
export const MANUAL = { type: "transcription", audio: { input: { turn_detection: null } } };

/** Silence, and a tone that every detector takes for a voice is not at hand: tests of turns bring recordings. */
export const silence = (seconds: number, bytesPerSecond = 48_000) => new Uint8Array(seconds * bytesPerSecond);

/** Answers each utterance with what the test says; by default, with how many seconds it heard. */
export function scriptedLive(
  answer: (seconds: number, listener: LiveOptions) => string | Refusal = (seconds) => `${seconds.toFixed(2)}`,
) {
  const opened: LiveOptions[] = [];
  const live: LiveRecognizer = {
    open(listener) {
      opened.push(listener);
      let samples = 0;
      let dropped = false;
      return {
        push(more) {
          samples += more.length;
        },
        pause: () => {},
        async finish() {
          await takes(1);
          if (dropped) return;
          const answered = answer(samples / 16_000, listener);
          if (typeof answered !== "string") return listener.settled(answered);
          const words = answered.split(" ").filter((text) => text !== "");
          listener.words(words.map((text) => ({ text, start: 0, end: 1, confidence: 1 })));
          listener.settled("completed");
        },
        drop: () => {
          dropped = true;
        },
        behindSeconds: () => 0,
      };
    },
  };
  return { live, opened };
}
