/** What a session emits, in order: events for the client, each with its own id, and effects to perform. */
import type { LiveFormat } from "../engine/protocol/live-format.ts";
import type { Refusal } from "../errors.ts";
import type { DialogueEffect } from "./dialogue-effects.ts";
import type { ServerEvent } from "./events.ts";

export type Effect =
  | DialogueEffect
  | { do: "send"; event: ServerEvent }
  /** Audio arrives in this format from now on. */
  | { do: "listen"; format: LiveFormat }
  /** An utterance begins; `spoken`: speech was detected, otherwise it may be silence. */
  | { do: "open"; itemId: string; spoken: boolean }
  | { do: "push"; itemId: string; samples: Float32Array }
  /** The speaker may have finished; or the utterance is discarded. */
  | { do: "pause" | "drop"; itemId: string }
  /** Turns will be detected: what does it should be ready. */
  | { do: "expectTurns" }
  /** Did the speaker finish, or only pause? The silence began at the sample `quietFrom`. */
  | { do: "detectTurn"; itemId: string; quietFrom: number }
  /** The utterance is complete; `paused`: without speech since the last pause. */
  | { do: "finish"; itemId: string; paused: boolean }
  /** Close the socket; a null refusal: because the server closes. */
  | { do: "hangUp"; refusal: Refusal | null };

export class Outbox {
  #effects: Effect[] = [];
  #sent = 0;
  #items = 0;
  /** Of the session: part of the ids of its events and items. */
  readonly name: string;

  constructor(sessionId: string) {
    this.name = sessionId.replace(/^sess_/, "");
  }

  add(effect: Effect): void {
    this.#effects.push(effect);
  }

  send({ type, ...fields }: ServerEvent): void {
    const event = { type, event_id: `event_${this.name}_${++this.#sent}`, ...fields };
    this.add({ do: "send", event });
  }

  /** The id of a new item. */
  itemId = (): string => `item_${this.name}_${++this.#items}`;

  take(): Effect[] {
    return this.#effects.splice(0);
  }
}
