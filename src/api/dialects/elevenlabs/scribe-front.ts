/**
 * The messages of a stream. What was said is committed by its client, or where it chose so, by pauses; until then it is
 * partial.
 */
import type { Word } from "../../../engine/protocol/recognition.ts";
import { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Utterance } from "../../../realtime/front.ts";
import { joined } from "../../../transcription/transcript.ts";
import { LiveFront, type Pending } from "../live-front.ts";
import type { LiveIdentity } from "../live-session.ts";
import { errorMessage } from "./scribe-errors.ts";
import { wordEntries } from "./scribe-words.ts";

export type ScribeOptions = {
  /** Pauses commit. */
  commitsAtPauses: boolean;
  tellsTimes: boolean;
  tellsLanguage: boolean;
  /** As the session confirms it. */
  config: object;
};

const WORDS_MAX = 20_000; // of a client that never commits

export class ScribeFront extends LiveFront {
  readonly #identity: LiveIdentity;
  readonly #options: ScribeOptions;
  /** Said and not committed. */
  readonly #said: Word[] = [];
  #lastText = "";
  /** The utterance that a commit waits for; each commit takes what was said until its end. */
  readonly #awaited: string[] = [];

  constructor(identity: LiveIdentity, options: ScribeOptions) {
    super();
    this.#identity = identity;
    this.#options = options;
  }

  override created(): void {
    const { sessionId, model } = this.#identity;
    const config = { ...this.#options.config, model_id: model };
    this.#send({ type: "session_started", session_id: sessionId, config });
  }

  protected changed(pending: Pending): void {
    const text = joined([...this.#said, ...pending.words, ...pending.tentative]);
    if (text === "" || text === this.#lastText) return;
    this.#lastText = text;
    this.#send({ type: "partial_transcript", text });
  }

  protected ended({ id, words }: Pending, { outcome }: Utterance): void {
    if (outcome instanceof Refusal) this.refused(outcome);
    this.#said.push(...words);
    const commits = this.#awaited.lastIndexOf(id) + 1;
    for (const _ of this.#awaited.splice(0, commits)) this.#tellCommitted();
    const isDue = this.#options.commitsAtPauses ? words.length > 0 : this.#said.length > WORDS_MAX;
    if (commits === 0 && isDue) this.#tellCommitted();
  }

  /** `end` ends the open utterance, so that it is transcribed. */
  commit(end: () => void): void {
    const last = this.pending.at(-1);
    if (last === undefined) this.#tellCommitted();
    else {
      this.#awaited.push(last.id);
      end();
    }
  }

  refused(refusal: Refusal): void {
    this.#send(errorMessage(refusal));
  }

  #tellCommitted(): void {
    const words = this.#said.splice(0).map((word) => ({ ...word, speaker: null }));
    const text = joined(words);
    const { tellsTimes, tellsLanguage } = this.#options;
    this.#lastText = "";
    this.#send({ type: "committed_transcript", text });
    if (!tellsTimes && !tellsLanguage) return;
    this.#send({
      ...{ type: "committed_transcript_with_timestamps", text, language_code: this.#identity.language },
      ...(tellsTimes ? { words: wordEntries(words, "word") } : {}),
    });
  }

  #send(event: ServerEvent): void {
    this.#identity.out.add({ do: "send", event });
  }
}
