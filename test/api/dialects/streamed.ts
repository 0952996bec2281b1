/** A socket of a dialect that keeps what it is told, a recognizer that hears what a test says, and speech to send. */
import { afterAll, beforeAll, expect } from "bun:test";
import { request as httpRequest } from "node:http";
import type { Word } from "../../../src/engine/protocol/recognition.ts";
import { Refusal } from "../../../src/errors.ts";
import { differencesOf } from "../../../src/ledger/verify.ts";
import type { Services } from "../../../src/server/services.ts";
import type { LiveOptions, LiveRecognizer } from "../../../src/transcription/live.ts";
import { type Harness, openHarness } from "../../harness.ts";
import { openKeptSocket } from "../../kept-socket.ts";
import { sentence } from "./recorded.ts";

// biome-ignore lint/suspicious/noExplicitAny: as it was told
export type Message = Record<string, any>;

type Dial = { path: string; headers?: Record<string, string>; protocols?: string[] };

/** Rejects where the upgrade is refused. */
export async function dialStream({ url }: Pick<Harness, "url">, { path, headers = {}, protocols }: Dial) {
  const { socket, messages, closed, until } = await openKeptSocket<Message>(url + path, {
    headers,
    protocols,
  });
  return {
    socket,
    messages,
    closed,
    send: (message: object | Uint8Array) =>
      socket.send(message instanceof Uint8Array ? message : JSON.stringify(message)),
    /** The first that fits; fails where the socket closes before it. */
    until: (fits: (message: Message) => boolean): Promise<Message> =>
      until(
        () => messages.find(fits),
        () => `it: ${JSON.stringify(messages)}`,
      ),
    close: () => socket.close(),
  };
}

/** The answer to an upgrade that is refused. */
export function refusedUpgrade(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; body: Record<string, string> }>((resolve, reject) => {
    const asked = httpRequest(url, {
      headers: {
        ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
        ...{ "sec-websocket-key": btoa("0123456789abcdef"), ...headers },
      },
    });
    asked.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString()) }),
      );
    });
    asked.on("upgrade", () => reject(new Error("it was upgraded")));
    asked.on("error", reject);
    asked.end();
  });
}

export type Stream = Awaited<ReturnType<typeof dialStream>>;

/** Each word takes 0.3 s. */
const wordsOf = (text: string, first = 0): Word[] =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word, index) => ({
      text: word,
      start: (first + index) * 0.3,
      end: (first + index + 1) * 0.3,
      confidence: 0.9,
    }));

/**
 * What is heard of an utterance: unstable text, then words that are final, at a pause what would be final then, and at its
 * end the rest, or a refusal.
 */
export type Script = { interim?: string; words?: string; guess?: string; rest: string | Refusal };

/** Utterances are as the scripts say, in order; the last is repeated. */
function scriptedStreams(...scripts: Script[]) {
  const opened: LiveOptions[] = [];
  const live: LiveRecognizer = {
    open(listener) {
      const script = scripts[Math.min(opened.length, scripts.length - 1)]!;
      opened.push(listener);
      let samples = 0;
      let said = 0;
      let isOver = false;
      const say = (text: string) => {
        const words = wordsOf(text, said);
        said += words.length;
        if (words.length > 0) listener.words(words);
      };
      return {
        push(more) {
          const before = samples;
          samples += more.length;
          if (before >= 8000 || samples < 8000) return;
          if (script.interim) listener.interim?.(wordsOf(script.interim));
          if (script.words) say(script.words);
        },
        pause() {
          if (script.guess !== undefined) listener.guess?.(wordsOf(script.guess, said));
        },
        finish() {
          setImmediate(() => {
            if (isOver) return;
            if (script.rest instanceof Refusal) return listener.settled(script.rest);
            say(script.rest);
            listener.settled("completed");
          });
        },
        drop: () => {
          isOver = true;
        },
        behindSeconds: () => 0,
      };
    },
  };
  return { live, opened };
}

export const RATE = 24_000;
export const quiet = (seconds: number): Uint8Array => new Uint8Array(Math.round(seconds * RATE) * 2);

/** A spoken sentence, as signed 16-bit samples, mono, 24 kHz. */
export const speech = async (harness: Harness): Promise<Uint8Array> => (await sentence(harness)).subarray(44);

/** It as a telephone has it: at 8 kHz. */
export async function sentence8k(harness: Harness): Promise<Uint8Array> {
  const bytes = await speech(harness);
  const samples = new Int16Array(bytes.slice().buffer).filter((_, index) => index % 3 === 0);
  return new Uint8Array(samples.buffer);
}

/** A server that hears what the script of the time says. Its ledger adds up at the end of the file. */
export function scriptedHarness(services: Partial<Services> = {}) {
  let harness: Harness;
  let current = scriptedStreams({ rest: "" });
  beforeAll(async () => {
    const live: LiveRecognizer = { open: (listener) => current.live.open(listener) };
    harness = await openHarness({ services: { live, ...services } });
  });
  afterAll(async () => {
    expect(differencesOf(await harness.parts.ledger.audit())).toEqual([]);
    await harness[Symbol.asyncDispose]();
  });
  return {
    get harness() {
      return harness;
    },
    /** What was opened since the last script. */
    get opened() {
      return current.opened;
    },
    script(...heard: Script[]): void {
      current = scriptedStreams(...heard);
    },
  };
}
