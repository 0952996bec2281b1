/**
 * The socket of Deepgram that speaks a text while it is written. What is between two `Flush` is one turn; turns are spoken
 * one after another.
 *
 *   Speak Speak Flush   Speak …    ──>   Metadata, sound … Flushed, sound …
 *   Clear                          ──>   Cleared, and nothing of what was not sent yet
 */
import Type from "typebox";
import { invalidInput, Refusal } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import type { SpeechSession } from "../speech-session.ts";
import type { Message, SpeechDialect, SpeechPort } from "../speech-socket.ts";
import type { TextSpeaker } from "../text-speaker.ts";

const textMessage = checker(Type.Object({ type: Type.Literal("Speak"), text: Type.String() }));

type Turn = { speaker: TextSpeaker; isCleared: boolean; over: Promise<void> };

export class LiveSpeech implements SpeechDialect {
  readonly idleMs = null;
  readonly secretOf: SpeechDialect["secretOf"];
  readonly #speed: () => number;
  /** Those that are not over, and the one that text is added to. */
  readonly #turns = new Set<Turn>();
  #open: Turn | null = null;
  #last: Promise<void> = Promise.resolve();
  #sequence = 0;
  #session: SpeechSession | null = null;
  #port: SpeechPort | null = null;

  constructor({ secretOf, speed }: { secretOf: SpeechDialect["secretOf"]; speed: () => number }) {
    this.secretOf = secretOf;
    this.#speed = speed;
  }

  opened(session: SpeechSession, port: SpeechPort): void {
    this.#session = session;
    this.#port = port;
    const { voice, manifest, model } = session.voice.chosen;
    port.send({
      ...{ type: "Metadata", request_id: port.id, model_name: voice.id },
      ...{ model_version: manifest.version, model_uuid: model },
    });
  }

  receive(message: Message): void {
    switch (message.type) {
      case "Speak":
        this.#speak(message);
        break;
      case "Flush":
        this.#flush();
        break;
      case "Clear":
        this.#clear();
        break;
      case "Close":
        this.#port!.close();
        break;
      case "KeepAlive":
        break;
      default:
        throw new Refusal(
          "invalid_event",
          `There is no message ${String(message.type).slice(0, 100)}. Messages are Speak, Flush, Clear, Close.`,
          { param: "type" },
        );
    }
  }

  #speak(message: Message): void {
    const { value, details } = textMessage.check(message);
    if (details !== null) throw invalidInput(details);
    this.#open ??= this.#begin();
    this.#open.speaker.push(value.text);
  }

  #begin(): Turn {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const speaker = this.#session!.speak({
      speed: this.#speed(),
      released: this.#last,
      spoke: (part) => {
        if (part.is === "sound" && part.bytes.length > 0 && !turn.isCleared) this.#port!.send(part.bytes);
      },
      ended: (error) => {
        this.#turns.delete(turn);
        if (error !== null) this.#port!.refuse(error);
        else if (!turn.isCleared) this.#port!.send({ type: "Flushed", sequence_id: this.#sequence++ });
        resolve();
      },
    });
    const turn: Turn = { speaker, isCleared: false, over };
    this.#turns.add(turn);
    this.#last = over;
    return turn;
  }

  /** A turn without text is over at once, behind those before it. */
  #flush(): void {
    const turn = this.#open ?? this.#begin();
    this.#open = null;
    turn.speaker.end();
  }

  #clear(): void {
    for (const turn of this.#turns) {
      turn.isCleared = true;
      turn.speaker.stop();
    }
    this.#open = null;
    this.#port!.send({ type: "Cleared", sequence_id: this.#sequence++ });
  }

  end(): void {
    if (this.#open) this.#flush();
  }

  errorOf({ code, message, param }: Refusal, id: string): object {
    return { type: "Error", description: message, code, param, request_id: id };
  }
}
