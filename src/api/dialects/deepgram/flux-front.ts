/**
 * The messages of a stream of Flux: where the turn of the speaker stands.
 *
 *   words   more     a pause              speech again     a pause              over
 *   StartOfTurn Update … EagerEndOfTurn   TurnResumed …    EagerEndOfTurn       EndOfTurn
 *
 * A sound without a word starts no turn. The text of a turn that ends is that of the EagerEndOfTurn before, if there is one.
 */
import type { Word } from "../../../engine/protocol/recognition.ts";
import { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Utterance } from "../../../realtime/front.ts";
import { joined } from "../../../transcription/transcript.ts";
import { LiveFront, type Pending } from "../live-front.ts";
import type { LiveIdentity } from "../live-session.ts";
import { CERTAIN_MS, type FluxOptions } from "./flux-query.ts";
import { seconds } from "./results.ts";
import { fluxError } from "./stream-errors.ts";

const UPDATE_SECONDS = 0.25;

/** `manual`: the client ended it. */
type Trigger = "model" | "timeout" | "manual";

/** Of an utterance. `text`: as it was told last. `isGuessed`: what was said until the pause is known. */
type Turn = {
  isStarted: boolean;
  text: string;
  isEager: boolean;
  isGuessed: boolean;
  quietMs: number;
  /** That it is over, by the turn detector; null: it has not answered in this silence. */
  probability: number | null;
  isStopped: boolean;
  trigger: Trigger | null;
};

type Event = "StartOfTurn" | "Update" | "EagerEndOfTurn" | "TurnResumed" | "EndOfTurn";

export class FluxFront extends LiveFront {
  readonly #identity: LiveIdentity;
  readonly #options: () => FluxOptions;
  /** Of utterances that are not concluded, by their ids. */
  readonly #turns = new Map<string, Turn>();
  #index = 0;
  /** Times of the session in seconds: the end of the last turn, of what was heard, and of the last message's window. */
  #endedAt = 0;
  #heardAt = 0;
  #toldAt = 0;

  constructor(identity: LiveIdentity, options: () => FluxOptions) {
    super();
    this.#identity = identity;
    this.#options = options;
  }

  override created(): void {
    this.tell({ type: "Connected" });
  }

  override speaking(utterance: Utterance, spokenMs: number, quietMs: number): void {
    super.speaking(utterance, spokenMs, quietMs);
    const turn = this.#turnOf(utterance);
    turn.quietMs = quietMs;
    if (quietMs > 0) this.#consider(utterance);
    else this.#goesOn(utterance, turn);
  }

  #goesOn(utterance: Utterance, turn: Turn): void {
    Object.assign(turn, { probability: null, isGuessed: false });
    const pending = this.#oldest(utterance);
    if (pending && turn.isEager) this.#resume(pending, turn);
  }

  detected(utterance: Utterance, probability: number): void {
    this.#turnOf(utterance).probability = probability;
    this.#consider(utterance);
  }

  protected override guessed(pending: Pending, tentative: Word[]): void {
    pending.tentative = tentative;
    const turn = this.#turnOf(pending);
    turn.isGuessed = turn.quietMs > 0;
    const oldest = this.#oldest(pending);
    if (oldest) this.changed(oldest);
    this.#consider(pending);
  }

  override speechStopped(utterance: Utterance): void {
    super.speechStopped();
    this.#turnOf(utterance).isStopped = true;
  }

  override committed(utterance: Utterance): void {
    super.committed(utterance);
    const turn = this.#turnOf(utterance);
    const { timeoutMs } = this.#options().thresholds;
    turn.trigger = !turn.isStopped ? "manual" : turn.quietMs >= timeoutMs ? "timeout" : "model";
  }

  override dropped(utterance: Utterance): void {
    super.dropped(utterance);
    this.#turns.delete(utterance.id);
  }

  protected changed(pending: Pending): void {
    const turn = this.#turnOf(pending);
    const text = textOf(pending);
    if (text === turn.text || (text === "" && !turn.isStarted)) return;
    if (!turn.isStarted) this.#start(pending, turn);
    else if (turn.isEager) this.#resume(pending, turn);
    else this.#tellTurn("Update", pending);
  }

  protected ended(pending: Pending, { outcome, seconds: length }: Utterance): void {
    const turn = this.#turnOf(pending);
    this.#turns.delete(pending.id);
    if (outcome instanceof Refusal) this.#identity.end(outcome);
    else this.#finish(pending, turn, pending.from + length);
  }

  #finish(pending: Pending, turn: Turn, until: number): void {
    const text = textOf(pending);
    if (!turn.isStarted && text !== "") this.#start(pending, turn);
    if (turn.isEager && text !== turn.text) this.#resume(pending, turn);
    if (turn.isStarted) this.#tellTurn("EndOfTurn", pending, { turn, until });
    if (turn.isStarted) this.#index++;
    this.#endedAt = until;
  }

  /** All audio until this time was heard. */
  heardUntil(time: number): void {
    this.#heardAt = time;
    const [pending] = this.pending;
    const isWaiting = pending !== undefined && this.#turnOf(pending).isEager;
    if (!isWaiting && time - this.#toldAt >= UPDATE_SECONDS) this.#tellTurn("Update", pending ?? null);
  }

  refused(refusal: Refusal): void {
    this.#send(fluxError(refusal));
  }

  /** An event of its own, with the request that it belongs to. */
  tell(event: ServerEvent): void {
    this.#send({ ...event, request_id: this.#identity.requestId });
  }

  #start(pending: Pending, turn: Turn): void {
    turn.isStarted = true;
    this.#tellTurn("StartOfTurn", pending, { turn });
  }

  #resume(pending: Pending, turn: Turn): void {
    turn.isEager = false;
    this.#tellTurn("TurnResumed", pending, { turn });
  }

  /** Whether the turn may be over: it is as probable as the client asked for, and its text is known. */
  #consider(utterance: { id: string }): void {
    const pending = this.#oldest(utterance);
    const { eager } = this.#options().thresholds;
    if (!pending || eager === null) return;
    const turn = this.#turnOf(pending);
    if (turn.isEager || !turn.isStarted || !turn.isGuessed || turn.trigger !== null) return;
    if (textOf(pending) === "" || this.#confidence(turn) < eager) return;
    turn.isEager = true;
    this.#tellTurn("EagerEndOfTurn", pending);
  }

  #confidence({ probability, quietMs, trigger }: Turn): number {
    const confidence = probability ?? Math.min(1, quietMs / CERTAIN_MS);
    const { eot } = this.#options().thresholds;
    return trigger === "model" && probability === null ? Math.max(confidence, eot) : confidence;
  }

  #oldest = ({ id }: { id: string }): Pending | null => (this.pending[0]?.id === id ? this.pending[0] : null);

  #turnOf({ id }: { id: string }): Turn {
    const known = this.#turns.get(id);
    if (known) return known;
    const turn: Turn = {
      ...{ isStarted: false, text: "", isEager: false, isGuessed: false },
      ...{ quietMs: 0, probability: null, isStopped: false, trigger: null },
    };
    this.#turns.set(id, turn);
    return turn;
  }

  /** `turn`: of an utterance that may be forgotten already. `until`: where it ended. */
  #tellTurn(event: Event, pending: Pending | null, given: { turn?: Turn; until?: number } = {}): void {
    const turn = given.turn ?? (pending && this.#turnOf(pending));
    const words = pending ? [...pending.words, ...pending.tentative] : [];
    const from = Math.max(this.#endedAt, pending?.from ?? 0);
    const to = given.until ?? Math.max(this.#heardAt, words.at(-1)?.end ?? 0);
    const { hints } = this.#options();
    const transcript = joined(words);
    if (turn) turn.text = transcript;
    this.#toldAt = Math.max(from, to);
    this.tell({
      ...{ type: "TurnInfo", event, turn_index: this.#index },
      ...{ audio_window_start: seconds(from), audio_window_end: seconds(this.#toldAt) },
      ...{ transcript, words: words.map(wordOf) },
      end_of_turn_confidence: turn ? seconds(this.#confidence(turn)) : 0,
      ...(event === "EndOfTurn" ? { trigger: turn?.trigger ?? "manual" } : {}),
      ...(hints.length === 1 ? { languages: hints } : {}),
      ...(hints.length > 0 ? { languages_hinted: hints } : {}),
    });
  }

  #send(event: ServerEvent): void {
    this.#identity.out.add({ do: "send", event });
  }
}

const textOf = ({ words, tentative }: Pending): string => joined([...words, ...tentative]);

const wordOf = ({ text, start, end, confidence }: Word) => ({
  ...{ word: text, confidence: seconds(confidence), start: seconds(start), end: seconds(end) },
});
