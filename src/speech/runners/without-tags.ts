/** Drops expression tags, such as `<laugh>`, from the tasks of an engine that would read them as words. */
import type { SynthesisResult, TextContext } from "../../engine/protocol/synthesis.ts";
import { type Runner, withKind } from "../../engine/runner.ts";

const TAGS = /\s{0,9}<(?:laugh|breath|sigh)>/g;

export const dropTags = (text: string): string => text.replace(TAGS, "").trim();

const untagged = ({ before, after }: TextContext): TextContext => ({
  before: before.replace(TAGS, ""),
  after: after.replace(TAGS, ""),
});

export const withoutTags = (runner: Runner): Runner =>
  withKind(runner, "synthesis", async (task, ...rest) => {
    const { text, context, words } = task;
    const plain = dropTags(text);
    const around = context && { context: untagged(context) };
    const result = await runner.run({ ...task, text: plain, ...around }, ...rest);
    return plain === text || !words ? result : replaced(result, { plain, text });
  });

/** Words of the text with its tags. */
function replaced(
  result: SynthesisResult,
  { plain, text }: { plain: string; text: string },
): SynthesisResult {
  if (typeof result === "number" || result instanceof Float32Array) return result;
  const places = placesIn(text, plain);
  const words = result.words.map(({ from, to, ...times }) => ({
    from: places[from]!,
    to: places[to - 1]! + 1,
    ...times,
  }));
  return { ...result, words };
}

/** Where each code unit of the text without tags stands in the one with them. */
function placesIn(text: string, plain: string): number[] {
  const tags = [...text.matchAll(TAGS)].map(({ 0: tag, index }) => ({ index, length: tag.length }));
  const kept = Array.from({ length: text.length }, (_, at) => at).filter(
    (at) => !tags.some(({ index, length }) => at >= index && at < index + length),
  );
  const trimmed = kept.findIndex((at) => !/\s/.test(text[at]!));
  return kept.slice(trimmed, trimmed + plain.length);
}
