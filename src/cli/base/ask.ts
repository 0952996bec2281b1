/** Questions of commands: asked on a terminal, elsewhere refused with the options that answer them. */
import { createInterface } from "node:readline/promises";
import { UsageError } from "./output.ts";

/** `option`: such as "--license". `check`: what is wrong with an answer, or null. */
export type Question = {
  text: string;
  option: string;
  example: string;
  check(answer: string): string | null;
};

/** Asks each, again until its answer is right. Returns the answers; null for a question that is null. */
export async function ask(questions: readonly (Question | null)[]): Promise<(string | null)[]> {
  const open = questions.filter((question) => question !== null);
  if (open.length === 0) return questions.map(() => null);
  if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(open.map(refusalOf).join("\n"));
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answers: (string | null)[] = [];
    for (const question of questions)
      answers.push(question && (await answerTo(question, (text) => prompt.question(text))));
    return answers;
  } finally {
    prompt.close();
  }
}

const refusalOf = ({ text, option, example }: Question) =>
  `${text} Name it with ${option}, such as ${option} ${example}.`;

async function answerTo(
  { text, example, check }: Question,
  enter: (text: string) => Promise<string>,
): Promise<string> {
  for (;;) {
    const answer = (await enter(`${text} (such as ${example}) `)).trim();
    const objection = answer === "" ? "Nothing was entered." : check(answer);
    if (objection === null) return answer;
    process.stderr.write(`${objection}\n`);
  }
}
