/** Questions of commands: asked on a terminal, elsewhere refused with the option that answers them. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "./output.ts";

/** `option`: such as "--license". */
export type Question = { text: string; option: string; example: string };

/** Asks again until `check` has no objection. */
export async function ask(
  { text, option, example }: Question,
  check: (answer: string) => string | null,
): Promise<string> {
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${text} Name it with ${option}, such as ${option} ${example}.`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const answer = (await prompt.question(`${text} (such as ${example}) `)).trim();
      const objection = answer === "" ? "Nothing was entered." : check(answer);
      if (objection === null) return answer;
      process.stderr.write(`${objection}\n`);
    }
  } finally {
    prompt.close();
  }
}
