/**
 * What a language model thinks before it answers, between the marks that models put around it. It is not read aloud.
 *
 *   <think>plan</think>Done.      plan</think>Done.      <think>plan …
 *
 * Of a text that is sent in pieces, one may have the first mark or the last alone.
 */

/** The first group is a mark that ends it. Between backticks a mark is a word. */
const MARKS =
  /(?<!`)(?:(<\/(?:think|thinking|thought|reasoning|reflection)\s?>|\[\/THINK\]|◁\/think▷|<\|channel\|>final<\|message\|>)|<(?:think|thinking|thought|reasoning|reflection)>|\[THINK\]|◁think▷|<\|channel\|>analysis<\|message\|>)(?!`)/gi;
/** Signs of a model that stand for no text. */
const SIGNS = /<\|[a-z_]{1,30}\|>(?:assistant(?=<\|))?/g;

export function withoutReasoning(text: string): string {
  const kept: string[] = [];
  let at = 0; // up to here the text is kept or left out
  let isThinking = false;
  for (const { 0: mark, 1: end, index } of text.matchAll(MARKS)) {
    if (!isThinking && (!end || at > 0)) kept.push(text.slice(at, index)); // before the first mark of all, an end is thinking
    if (end || !isThinking) at = index + mark.length;
    isThinking = !end;
  }
  const isCutOff = isThinking && kept.every((each) => each.trim() === "");
  if (!isCutOff) kept.push(text.slice(at));
  return kept.join(" ").replace(SIGNS, " ");
}
