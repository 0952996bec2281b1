/** What a session wants done, in order: events for the client, each with an id of its own, and effects. */
import type { LiveFormat } from "../engine/protocol/vad.ts";
import type { Refusal } from "../errors.ts";
import type { ServerEvent } from "./events.ts";

export type Effect =
  | { do: "send"; event: ServerEvent }
  /** From here on audio comes in this format. */
  | { do: "listen"; format: LiveFormat }
  /** An utterance begins, and more of one; `spoken`: speech was detected, or else anything may be in it. */
  | { do: "open"; itemId: string; spoken: boolean }
  | { do: "push"; itemId: string; samples: Float32Array }
  /** The speaker may have finished, or what was said is not wanted any more. */
  | { do: "pause" | "drop"; itemId: string }
  /** Did the speaker finish, or only pause? */
  | { do: "detectTurn"; itemId: string }
  /** All of it is in; `paused`: and nothing was said since the last pause. */
  | { do: "finish"; itemId: string; paused: boolean }
  /** Close the socket; a null refusal: because the server closes. */
  | { do: "hangUp"; refusal: Refusal | null };

export class Outbox {
  #effects: Effect[] = [];
  #sent = 0;
  readonly #name: string;

  /** `name` tells this session's ids from every other's. */
  constructor(name: string) {
    this.#name = name;
  }

  add(effect: Effect): void {
    this.#effects.push(effect);
  }

  send({ type, ...fields }: ServerEvent): void {
    const event = { type, event_id: `event_${this.#name}_${++this.#sent}`, ...fields };
    this.add({ do: "send", event });
  }

  take(): Effect[] {
    return this.#effects.splice(0);
  }
}
