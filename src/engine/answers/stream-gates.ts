/** The gates of tasks about live streams, which know how much of each stream was sent and what came of it. */
import { ASR_SAMPLE_RATE } from "../../audio/rates.ts";
import { TransientMap } from "../../transient.ts";
import type { StreamingResult, StreamingTask } from "../protocol/streaming-recognition.ts";
import { fieldsOf, listOf, mustBe } from "./faulty-answer.ts";
import { type Gate, resultOnly } from "./gate.ts";
import { HeldWords, languageOf } from "./transcript-gate.ts";

/** Of one engine, whose tasks come one after another. */
export class StreamGates {
  readonly #streams = new TransientMap<number, HeldWords>();

  gate({ open, feed, finish, close }: StreamingTask): Gate {
    for (const { id } of open) this.#streams.set(id, new HeldWords());
    let seconds = 0;
    for (const { id, samples } of feed) {
      const fed = samples.length / ASR_SAMPLE_RATE;
      seconds += fed;
      this.#streams.get(id)?.addSeconds(fed);
    }
    const expected = new Set([...feed.map(({ id }) => id), ...finish]);
    return resultOnly(seconds, 0, (value) => {
      const results = this.#results(value, new Set(expected));
      for (const { id } of results) expected.delete(id);
      for (const id of close) {
        expected.delete(id);
        this.#streams.delete(id);
      }
      mustBe(expected.size === 0, `it lacks ${expected.size} streams`);
      return results;
    });
  }

  /** Each of the streams that something was asked of, once. */
  #results(value: unknown, asked: Set<number>): StreamingResult[] {
    return listOf(value, "the list of streams").map((each) => {
      const { id, words, language } = fieldsOf(each, "a stream");
      const held = asked.delete(id as number) ? this.#streams.get(id as number) : undefined;
      mustBe(held !== undefined, "it answers a stream that was not asked for");
      return {
        id: id as number,
        words: held.add(words),
        language: language === null ? null : languageOf(language),
      };
    });
  }
}
