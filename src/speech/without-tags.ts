/** Drops expression tags, such as `<laugh>`, from the tasks of an engine that would read them as words. */
import type { Runner } from "../engine/runner.ts";

const TAGS = /\s{0,9}<(?:laugh|breath|sigh)>/g;

export const dropTags = (text: string): string => text.replace(TAGS, "").trim();

/** Tasks without a text are left as they are. */
export const withoutTags = (runner: Runner): Runner => ({
  run(task, transfer, claim) {
    const { text } = task as { text?: unknown };
    const plain = typeof text === "string" ? { ...task, text: dropTags(text) } : task;
    return runner.run(plain, transfer, claim);
  },
  [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
});
