/**
 * Speaks a text that is still being written, for a socket: pieces of any size are gathered into segments, each of which is
 * spoken and paid for by itself.
 *
 *   pieces     Good| morning|,| dear| world|.| How|    flush
 *   segments   ├──────────── spoken ────────┤├─────────────┤
 */
import type { Claim } from "../../engine/runner.ts";
import { invalidInput } from "../../errors.ts";
import { primaryLanguage } from "../../language-tag.ts";
import { CHARACTERS_MAX } from "../../metered/request-limits.ts";
import {
  openStreamedSpeech,
  type SpokenPart,
  type StreamedServices,
  type StreamedSpeech,
} from "../../metered/streamed-speech.ts";
import { isSsml } from "../../speech/script/read-script.ts";
import { Chunker } from "../../speech/text/chunker.ts";

type Speaking = Parameters<typeof openStreamedSpeech>[1];

type Manner = Omit<Speaking, "claim">;

type SpeakerOptions = {
  services: StreamedServices;
  manner: Manner;
  claim: Omit<Claim, "signal">;
  /** Each part of the speech, in order. What it returns is awaited. */
  spoke(part: SpokenPart): Promise<void> | void;
};

/** Of what is not spoken yet, in characters. */
const WAITING_MAX = 4 * CHARACTERS_MAX;
/** Of a segment, in code units. */
const LONGEST = 1000;
const OVER = new Error("its text is not wanted any more");

export class TextSpeaker {
  readonly #options: SpeakerOptions;
  readonly #chunker: Chunker;
  readonly #speech: StreamedSpeech;
  readonly #control = new AbortController();
  #timer: Timer | null = null;
  /** SSML is whole at its end only. */
  #ssml: string | null = null;
  #waiting = 0;
  /** Of these, the segment that is being sent. */
  #underWay = 0;
  #isEnded = false;

  constructor(options: SpeakerOptions) {
    const { services, manner, claim } = options;
    const { signal } = this.#control;
    this.#options = options;
    this.#chunker = new Chunker(primaryLanguage(manner.language ?? manner.chosen.voice.locale));
    this.#speech = openStreamedSpeech(services, { ...manner, claim: { ...claim, signal } });
  }

  /** Whether all that was gathered is spoken. */
  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves when it has ended and all is spoken, or it was stopped. Throws the refusal of what cannot be spoken. */
  async run(): Promise<void> {
    const { signal } = this.#control;
    try {
      for await (const part of this.#speech.events) {
        if (part.is === "began") this.#underWay = part.text.length;
        if (part.is === "ended") this.#waiting -= this.#underWay;
        if (signal.aborted) break;
        await this.#options.spoke(part);
        if (signal.aborted) break;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#clearTimer();
    }
  }

  /** Refuses a text that cannot wait. */
  push(text: string): void {
    if (this.#isEnded || text === "") return;
    if (this.#waiting + text.length > WAITING_MAX)
      throw invalidInput([
        {
          ...{ field: "text", code: "too_long" },
          message: `is more than can wait: ${WAITING_MAX} characters that are not spoken yet`,
        },
      ]);
    if (text.trim() === "" && this.#waiting === 0) return; // what opens a context
    const isOfSsml = this.#ssml !== null || (this.#waiting === 0 && isSsml(text));
    this.#waiting += text.length;
    if (isOfSsml) this.#gather(text);
    else this.#speak(this.#chunker.push(text, performance.now()));
  }

  #gather(text: string): void {
    this.#ssml = (this.#ssml ?? "") + text;
    if (this.#ssml.length > CHARACTERS_MAX)
      throw invalidInput([
        { field: "text", code: "too_long", message: `is SSML of more than ${CHARACTERS_MAX} characters` },
      ]);
  }

  /** What was gathered is spoken now. */
  flush(): void {
    const ssml = this.#ssml;
    this.#ssml = null;
    this.#speak(ssml === null ? this.#chunker.finish() : [ssml]);
  }

  /** No text follows. */
  end(): void {
    if (this.#isEnded) return;
    this.flush();
    this.#isEnded = true;
    this.#clearTimer();
    this.#speech.end();
  }

  /** Ends at once; `reason`: a refusal, where the server ends it. */
  stop(reason: unknown = OVER): void {
    this.#isEnded = true;
    this.#clearTimer();
    this.#control.abort(reason);
    this.#speech.end();
  }

  #speak(segments: string[]): void {
    for (const segment of segments.flatMap(shortened)) this.#speech.push(segment);
    this.#clearTimer();
    const { dueMs } = this.#chunker;
    if (dueMs === null || this.#isEnded) return;
    const wake = () => this.#speak(this.#chunker.wake(Math.max(dueMs, performance.now())));
    this.#timer = setTimeout(wake, Math.max(0, dueMs - performance.now()));
  }

  #clearTimer(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
  }
}

/** Text without an end, in parts; SSML stays whole. */
function shortened(segment: string): string[] {
  if (segment.length <= LONGEST || isSsml(segment)) return [segment];
  const parts: string[] = [];
  let from = 0;
  while (segment.length - from > LONGEST) {
    const space = segment.lastIndexOf(" ", from + LONGEST);
    const to = space > from ? space + 1 : from + LONGEST;
    parts.push(segment.slice(from, to));
    from = to;
  }
  return [...parts, segment.slice(from)];
}
