/**
 * The messages of a stream.
 *
 *   heard so far    is_final: false   what was heard since the last final, all of which may change
 *   some seconds    is_final: true    never taken back; more of the turn follows
 *   a pause         is_final: true, speech_final: true
 */
import type { Word } from "../../../engine/protocol/recognition.ts";
import { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Utterance } from "../../../realtime/front.ts";
import { LiveFront, type Pending } from "../live-front.ts";
import type { LiveIdentity } from "../live-session.ts";
import { alternativeOf, modelInfo, seconds, type TextStyle } from "./results.ts";
import { errorMessage } from "./stream-errors.ts";

export type StreamOptions = {
  style: TextStyle;
  interimResults: boolean;
  vadEvents: boolean;
  /** Pauses end turns. */
  endpointing: boolean;
  /** Null: the end of an utterance is not told. */
  utteranceEndMs: number | null;
};

const CHANNEL = [0, 1];
const FINAL_SECONDS = 4; // as long as the parts that clients know
const SENTENCE_END = /[.?!…。！？]["'”’)\]]*$/u;
const SAMPLE_RATE = 16_000;

export class ListenFront extends LiveFront {
  readonly #identity: LiveIdentity;
  readonly #options: StreamOptions;
  /** Up to where finals were told, in seconds. */
  #toldUntil = 0;
  #lastText = "";
  #lastWordEnd: number | null = null;
  readonly #finalized = new Set<string>();

  constructor(identity: LiveIdentity, options: StreamOptions) {
    super();
    this.#identity = identity;
    this.#options = options;
  }

  override speechStarted(utterance: Utterance, at: number): void {
    super.speechStarted(utterance, at);
    if (this.#options.vadEvents)
      this.#send({ type: "SpeechStarted", channel: [0], timestamp: seconds(at / SAMPLE_RATE) });
  }

  protected changed(pending: Pending): void {
    if (!pending.isComplete && isPart(pending.words))
      this.#final(pending, { speechFinal: false, finalized: false });
    const heard = [...pending.words, ...pending.tentative];
    const text = heard.map((word) => word.text).join(" ");
    if (!this.#options.interimResults || heard.length === 0 || text === this.#lastText) return;
    this.#lastText = text;
    const until = Math.max(this.#toldUntil, heard.at(-1)!.end);
    this.#results(heard, {
      from: this.#from(pending),
      until,
      isFinal: false,
      speechFinal: false,
      finalized: false,
    });
  }

  protected ended(pending: Pending, utterance: Utterance): void {
    const finalized = this.#finalized.delete(pending.id);
    if (utterance.outcome instanceof Refusal) this.#send(errorMessage(utterance.outcome));
    const speechFinal = this.#options.endpointing || finalized;
    this.#final(pending, { speechFinal, finalized }, pending.from + utterance.seconds);
  }

  /** What was said until now is to be told at once; the answer says that it was asked for. */
  finalize(commit: () => void): void {
    const last = this.pending.at(-1);
    if (last) {
      this.#finalized.add(last.id);
      commit();
    } else {
      const now = { from: this.#toldUntil, until: this.#toldUntil };
      this.#results([], { ...now, isFinal: true, speechFinal: false, finalized: true });
    }
  }

  /** All audio until this time was heard. */
  heardUntil(time: number): void {
    const { utteranceEndMs } = this.#options;
    if (utteranceEndMs === null || this.#lastWordEnd === null || this.isListening) return;
    if ((time - this.#lastWordEnd) * 1000 < utteranceEndMs) return;
    this.#send({ type: "UtteranceEnd", channel: CHANNEL, last_word_end: seconds(this.#lastWordEnd) });
    this.#lastWordEnd = null;
  }

  refused(refusal: Refusal): void {
    this.#send(errorMessage(refusal));
  }

  /** An event of its own, with the request that it belongs to. */
  tell(event: ServerEvent): void {
    this.#send({ ...event, request_id: this.#identity.requestId });
  }

  #from = ({ from }: Pending): number => Math.max(from, this.#toldUntil);

  #final(pending: Pending, ending: Pick<Telling, "speechFinal" | "finalized">, until?: number): void {
    const words = pending.words.splice(0);
    this.#lastText = "";
    const end = Math.max(this.#from(pending), until ?? words.at(-1)?.end ?? 0);
    this.#lastWordEnd = words.at(-1)?.end ?? this.#lastWordEnd;
    this.#results(words, { from: this.#from(pending), until: end, isFinal: true, ...ending });
    this.#toldUntil = end;
  }

  #results(words: Word[], { from, until, isFinal, speechFinal, finalized }: Telling): void {
    const { requestId, model, version } = this.#identity;
    this.#send({
      type: "Results",
      channel_index: CHANNEL,
      ...{ start: seconds(from), duration: seconds(until - from) },
      ...{ is_final: isFinal, speech_final: speechFinal, from_finalize: finalized },
      channel: {
        alternatives: [
          alternativeOf(
            words.map((word) => ({ ...word, speaker: null })),
            this.#options.style,
          ),
        ],
      },
      metadata: { request_id: requestId, model_info: modelInfo(model, version), model_uuid: model },
    });
  }

  #send(event: ServerEvent): void {
    this.#identity.out.add({ do: "send", event });
  }
}

/** Whether final words are told before the end of their turn. */
function isPart(words: readonly Word[]): boolean {
  const [first, last] = [words[0], words.at(-1)];
  return first && last ? last.end - first.start >= FINAL_SECONDS || SENTENCE_END.test(last.text) : false;
}

/** `from` and `until`: seconds of the session. */
type Telling = { from: number; until: number; isFinal: boolean; speechFinal: boolean; finalized: boolean };
