/**
 * What the page does in a conversation: it plays the answers, tells the server what was heard of one that is interrupted, sends
 * what a person says or writes, and answers calls of functions. Knows neither sockets nor devices.
 */
import { fromBase64, type Samples, toBase64 } from "../audio/sample-text.ts";
import { activeAnswer, applyEvent, type Dialogue, EMPTY, ended } from "./dialogue.ts";
import { cut, play, soundOf } from "./sounds.ts";
import type { TalkEvent } from "./talk-event.ts";

/** Answered by what the page does next, or of no consequence. */
const EXPECTED = ["response_cancel_not_active", "conversation_already_has_active_response"];

type Deps = {
  send: (event: object) => void;
  player: {
    push(itemId: string, samples: Samples): void;
    stop(): void;
    /** Between a sample's playing and its sound. */
    latencyMs(): number;
  };
  /** By name: what they return. */
  functions: Record<string, () => string>;
  now: () => number;
  changed: (dialogue: Dialogue) => void;
};

/** Where turns are not detected: a turn that is sent as it is spoken, and one whose last sound is on its way. */
type Held = "no" | "speaking" | "ending";

export class Conversation {
  readonly #deps: Deps;
  readonly #silenced = new Set<string>();
  #dialogue: Dialogue = EMPTY;
  #held: Held = "no";
  #isOwed = false;
  /** Whether the server finds the ends of turns. */
  detectsTurns = true;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  #change(dialogue: Dialogue): void {
    this.#dialogue = dialogue;
    this.#deps.changed(dialogue);
  }

  /** An event of the server. Returns whether it is an error that the person should know. */
  receive(event: TalkEvent): boolean {
    const { type, response_id: responseId = "", item_id: itemId = "", error } = event;
    const isOver = this.#silenced.has(responseId) || soundOf(this.#dialogue.sounds, itemId).isCut;
    if (isOver && type.endsWith(".delta")) return false; // it was on its way
    this.#change(applyEvent(this.#dialogue, event, this.#deps.now()));
    if (type === "response.output_audio.delta") this.#deps.player.push(itemId, fromBase64(event.delta ?? ""));
    if (type === "input_audio_buffer.speech_started") this.#cut();
    if (type === "response.done") this.#continue(event.response!.id);
    if (error?.code === "conversation_already_has_active_response") this.#isOwed = true;
    return type === "error" && !EXPECTED.includes(error?.code ?? "");
  }

  /** So many samples of an item were played. */
  played(itemId: string, count: number): void {
    this.#change({ ...this.#dialogue, sounds: play(this.#dialogue.sounds, itemId, count) });
  }

  /** Sound of the microphone. */
  append(samples: Samples): void {
    if (!this.detectsTurns && this.#held === "no") return;
    this.#deps.send({ type: "input_audio_buffer.append", audio: toBase64(samples) });
    if (this.#held !== "ending") return;
    this.#held = "no";
    this.#deps.send({ type: "input_audio_buffer.commit" });
    this.#ask();
  }

  /** The person begins to speak, where turns are not detected. */
  beginTurn(): void {
    this.interrupt();
    this.#deps.send({ type: "input_audio_buffer.clear" });
    this.#held = "speaking";
  }

  /** The turn ends with the sound that the microphone has taken up to now. */
  endTurn(): void {
    if (this.#held === "speaking") this.#held = "ending";
  }

  /** A turn that was written. */
  say(text: string): void {
    this.interrupt();
    const content = [{ type: "input_text", text }];
    this.#deps.send({ type: "conversation.item.create", item: { type: "message", role: "user", content } });
    this.#ask();
  }

  /** Ends the answer that is being given or played. */
  interrupt(): void {
    const active = activeAnswer(this.#dialogue);
    if (active && !this.#silenced.has(active.id)) {
      this.#silenced.add(active.id);
      this.#deps.send({ type: "response.cancel", response_id: active.id });
    }
    this.#cut();
  }

  #cut(): void {
    const { player, send } = this.#deps;
    const { sounds, cuts } = cut(this.#dialogue.sounds, player.latencyMs());
    player.stop();
    this.#change({ ...this.#dialogue, sounds });
    for (const { itemId, audioEndMs } of cuts)
      send({
        ...{ type: "conversation.item.truncate", item_id: itemId },
        ...{ content_index: 0, audio_end_ms: audioEndMs },
      });
  }

  #ask(): void {
    this.#change(ended(this.#dialogue, this.#deps.now()));
    this.#deps.send({ type: "response.create" });
  }

  /** A response is over: what its calls return is told, and what waited is asked. */
  #continue(responseId: string): void {
    const { send, functions } = this.#deps;
    const answer = this.#dialogue.entries.find((entry) => entry.id === responseId);
    const calls = answer?.is === "answer" && answer.status === "completed" ? answer.calls : [];
    for (const { callId, name } of calls) {
      const output = functions[name]?.() ?? `There is no function ${name}.`;
      send({
        type: "conversation.item.create",
        item: { type: "function_call_output", call_id: callId, output },
      });
    }
    if (calls.length > 0 || this.#isOwed) this.#ask();
    this.#isOwed = false;
  }
}
