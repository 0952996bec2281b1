/**
 * When one response reached its stages, from the end of what the caller said, or from `response.create`, in milliseconds of
 * the conversation's clock. Otherwise pure.
 *
 *   end of speech ──> transcript ──> asked ──> first token ──> first clause ──> first sound ──> written ──> over
 */

/**
 * `asked`: the language model was. `firstClause`: text that can be spoken. `written`: the model has ended. The order may
 * differ: an early answer is asked for before the transcript is final.
 */
export type Stage = "transcript" | "asked" | "firstToken" | "firstClause" | "firstSound" | "written" | "over";

/** When the caller fell silent, and their transcript was known. */
export type Heard = { endedMs: number; transcriptMs: number };

/** As clients read it, since the end of speech, or since `response.create`; null: the response has no such stage. */
export type Latency = {
  transcript_ms: number | null;
  first_token_ms: number | null;
  first_clause_ms: number | null;
  first_sound_ms: number | null;
};

export class Stages {
  readonly #now: () => number;
  readonly #times = new Map<Stage, number>();
  #sinceMs: number;
  #isSpoken = false;

  constructor(now: () => number) {
    this.#now = now;
    this.#sinceMs = now();
  }

  /** It is an answer from now on. `heard` null: the client asked for it. */
  begin(heard: Heard | null): void {
    this.#sinceMs = heard?.endedMs ?? this.#now();
    this.#isSpoken = heard !== null;
    if (heard) this.#times.set("transcript", heard.transcriptMs);
  }

  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** It answers what a caller said. */
  get isSpoken(): boolean {
    return this.#isSpoken;
  }

  /** Only the first time counts. */
  reached(stage: Stage): void {
    if (!this.#times.has(stage)) this.#times.set(stage, this.#now());
  }

  at = (stage: Stage): number | null => this.#times.get(stage) ?? null;

  latency(): Latency {
    const since = (stage: Stage) => {
      const at = this.at(stage);
      return at === null ? null : Math.max(0, Math.round(at - this.sinceMs));
    };
    return {
      transcript_ms: since("transcript"),
      first_token_ms: since("firstToken"),
      first_clause_ms: since("firstClause"),
      first_sound_ms: since("firstSound"),
    };
  }
}
