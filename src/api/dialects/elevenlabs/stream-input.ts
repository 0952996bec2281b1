/**
 * The sockets of ElevenLabs that speak a text while it is written: `stream-input` has one text, `multi-stream-input` several
 * at once, each a context of its own.
 *
 *   { text: " ", … }  opens            { text: "" }              stream-input: no text follows
 *   { text: "Good " } is spoken        { close_context: true }   multi-stream-input: none follows in this context
 *   { flush: true }   … at once        { close_socket: true }    … and in no other
 */

import Type, { type Static } from "typebox";
import { invalidInput, Refusal } from "../../../errors.ts";
import type { SpokenPart } from "../../../metered/streamed-speech.ts";
import { checker } from "../../../schema.ts";
import type { WordTime } from "../../../speech/words/timeline.ts";
import { TransientMap } from "../../../transient.ts";
import { statusOf } from "../../middleware/faults.ts";
import type { SpeechSession } from "../speech-session.ts";
import type { Message, SpeechDialect, SpeechPort } from "../speech-socket.ts";
import type { TextSpeaker } from "../text-speaker.ts";
import { type Aligned, Alignment } from "./alignment.ts";
import { nullable, speedOf, VOICE_FIELDS } from "./speech-fields.ts";

const flag = nullable(Type.Boolean());
const contextId = nullable(Type.String({ maxLength: 256 }));

const inputMessage = checker(
  Type.Object({
    text: nullable(Type.String()),
    context_id: contextId,
    contextId,
    flush: flag,
    close_context: flag,
    close_socket: flag,
    ...VOICE_FIELDS,
  }),
);
type InputMessage = Static<typeof inputMessage.schema>;

/** Of one socket. */
const CONTEXTS_MAX = 10;
const DEFAULT_CONTEXT = "default";
const POLICY = 1008;

type Context = { speaker: TextSpeaker; alignment: ContextAlignment };

type Options = {
  isMulti: boolean;
  idleMs: number;
  secretOf: SpeechDialect["secretOf"];
};

export class StreamInput implements SpeechDialect {
  readonly idleMs: number;
  readonly secretOf: SpeechDialect["secretOf"];
  readonly #isMulti: boolean;
  readonly #contexts = new TransientMap<string, Context>();
  #session: SpeechSession | null = null;
  #port: SpeechPort | null = null;

  constructor({ isMulti, idleMs, secretOf }: Options) {
    this.#isMulti = isMulti;
    this.idleMs = idleMs;
    this.secretOf = secretOf;
  }

  opened(session: SpeechSession, port: SpeechPort): void {
    this.#session = session;
    this.#port = port;
  }

  receive(message: Message): void {
    const { value, details } = inputMessage.check(message);
    if (details !== null) throw invalidInput(details);
    if (this.#isMulti) this.#receiveOfContext(value);
    else this.#receiveOfOne(value);
  }

  #receiveOfOne(message: InputMessage): void {
    const { text, flush } = message;
    if (text) this.#contextOf(DEFAULT_CONTEXT, message)?.speaker.push(text);
    if (flush) this.#contexts.get(DEFAULT_CONTEXT)?.speaker.flush();
    if (text === "" && !flush) this.#port!.finish();
  }

  #receiveOfContext(message: InputMessage): void {
    const { text, flush, close_context: close, close_socket: closeSocket } = message;
    const id = message.context_id ?? message.contextId ?? DEFAULT_CONTEXT;
    try {
      if (text) this.#contextOf(id, message)?.speaker.push(text);
    } catch (error) {
      this.#fail(id, error);
    }
    if (flush) this.#contexts.get(id)?.speaker.flush();
    if (close) this.#contexts.get(id)?.speaker.end();
    if (closeSocket) this.#port!.finish();
  }

  #contextOf(id: string, message: InputMessage): Context {
    const open = this.#contexts.get(id);
    if (open) return open;
    if (this.#contexts.size >= CONTEXTS_MAX)
      throw new Refusal(
        "invalid_event",
        `A connection has at most ${CONTEXTS_MAX} contexts. Close one first.`,
      );
    const alignment = new ContextAlignment();
    const speaker = this.#session!.speak({
      speed: speedOf(message),
      spoke: (part) => this.#spoke(id, alignment, part),
      ended: (error) => this.#ended(id, error),
    });
    const context = { speaker, alignment };
    this.#contexts.set(id, context);
    return context;
  }

  #spoke(id: string, alignment: ContextAlignment, part: SpokenPart): void {
    const aligned = alignment.add(part);
    const audio =
      part.is === "sound" && part.bytes.length > 0 ? Buffer.from(part.bytes).toString("base64") : null;
    if (audio === null && aligned === null) return;
    this.#send(id, { audio, isFinal: null, alignment: aligned, normalizedAlignment: aligned });
  }

  #ended(id: string, error: unknown): void {
    if (error === null) {
      this.#contexts.delete(id);
      this.#send(id, { audio: null, isFinal: true });
    } else if (this.#isMulti) this.#fail(id, error);
    else this.#port!.refuse(error);
  }

  /** The other contexts go on. */
  #fail(id: string, error: unknown): void {
    this.#contexts.get(id)?.speaker.stop();
    this.#contexts.delete(id);
    const { message, code } = this.#port!.refused(error);
    this.#send(id, { error: message, code });
  }

  #send(id: string, fields: object): void {
    this.#port!.send(this.#isMulti ? { contextId: id, ...fields } : fields);
  }

  end(): void {
    for (const { speaker } of this.#contexts.values()) speaker.end();
  }

  errorOf({ code, message, param }: Refusal, id: string): object {
    const closing = statusOf(code) >= 500 ? 1011 : POLICY;
    return { message, error: code, code: closing, param, request_id: id };
  }
}

type MessageAlignment = { chars: string[]; charStartTimesMs: number[]; charDurationsMs: number[] };

/**
 * When the characters of a context are heard, told with its sound. Clients add up the times of the messages, so each message
 * counts from the end of the one before it.
 */
export class ContextAlignment {
  #segment: Alignment | null = null;
  /** Words that are told with the sound to come. */
  #first: readonly WordTime[] = [];
  /** Of the context's sound, in seconds: what was sent, where the segment began, and what was told of. */
  #sent = 0;
  #begun = 0;
  #told = 0;

  /** What a message with this part tells; null: nothing. */
  add(part: SpokenPart): MessageAlignment | null {
    if (part.is === "over") return null;
    if (part.is === "began") {
      this.#segment = part.isTimed ? new Alignment(part.text) : null;
      this.#begun = this.#sent;
      this.#first = part.heard;
      return null;
    }
    const words = this.#segment?.take([...this.#first, ...part.heard]) ?? null;
    this.#first = [];
    if (part.is === "sound") this.#sent += part.ms / 1000;
    const rest = part.is === "ended" ? (this.#segment?.finish(this.#sent - this.#begun) ?? null) : null;
    return this.#messageOf([words, rest].filter((each) => each !== null));
  }

  #messageOf(parts: Aligned[]): MessageAlignment | null {
    if (parts.length === 0) return null;
    const from = this.#told - this.#begun;
    const starts = parts.flatMap((part) => part.starts);
    const ends = parts.flatMap((part) => part.ends);
    this.#told = this.#begun + ends.at(-1)!;
    return {
      chars: parts.flatMap((part) => part.characters),
      charStartTimesMs: starts.map((start) => Math.round(1000 * (start - from))),
      charDurationsMs: starts.map((start, index) => Math.round(1000 * (ends[index]! - start))),
    };
  }
}
