/** The messages of a recognition: what was heard so far, where it is asked for, and each turn once, when it is over. */
import type { Word } from "../../../engine/protocol/recognition.ts";
import { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import type { Utterance } from "../../../realtime/front.ts";
import type { Settings } from "../../../realtime/settings.ts";
import { joined } from "../../../transcription/transcript.ts";
import { LiveFront, type Pending } from "../live-front.ts";
import type { LiveIdentity } from "../live-session.ts";
import { errorMessage } from "./jambonz-errors.ts";

/** `language`: as it was named; null: the one that the model assumes. */
type Asked = { language: string | null; interimResults: boolean };

export class RecognitionFront extends LiveFront {
  readonly #identity: LiveIdentity;
  #asked: Asked = { language: null, interimResults: false };
  #language: string;
  #lastText = "";

  constructor(identity: LiveIdentity) {
    super();
    this.#identity = identity;
    this.#language = identity.language;
  }

  started(asked: Asked): void {
    this.#asked = asked;
  }

  override updated(_settings: Settings, language: string): void {
    this.#language = this.#asked.language ?? language;
  }

  protected changed({ words, tentative }: Pending): void {
    const heard = [...words, ...tentative];
    const text = joined(heard);
    if (!this.#asked.interimResults || text === "" || text === this.#lastText) return;
    this.#lastText = text;
    this.#tell(heard, false);
  }

  /** One that is empty would end a `gather` without speech. */
  protected ended({ words }: Pending, { outcome }: Utterance): void {
    this.#lastText = "";
    if (outcome instanceof Refusal) this.refused(outcome);
    if (words.length > 0) this.#tell(words, true);
  }

  refused(refusal: Refusal): void {
    this.#send(errorMessage(refusal, this.#identity.requestId));
  }

  #tell(words: readonly Word[], isFinal: boolean): void {
    const alternatives = [{ transcript: joined(words), confidence: confidenceOf(words) }];
    const language = this.#language;
    this.#send({ type: "transcription", is_final: isFinal, alternatives, language, channel: 1 });
  }

  #send(event: ServerEvent): void {
    this.#identity.out.add({ do: "send", event });
  }
}

/** The mean of its words, in thousandths. */
function confidenceOf(words: readonly Word[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  return Math.round(Math.min(1, Math.max(0, sum / words.length)) * 1000) / 1000;
}
