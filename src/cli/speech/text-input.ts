/** The text of a command: its argument, or standard input for `-` and for no argument. */
import { UsageError } from "../base/output.ts";

export async function readText(argument: string | undefined): Promise<string> {
  const text = argument === undefined || argument === "-" ? await standardInput(argument) : argument;
  if (text.trim() === "") throw new UsageError("The text is empty.");
  return text;
}

/** A person who forgot the text must not wait for a command that waits for them; with `-`, they want to type it. */
async function standardInput(argument: string | undefined): Promise<string> {
  if (process.stdin.isTTY && argument === undefined)
    throw new UsageError("Give the text in quotes, or on standard input.");
  return await Bun.stdin.text();
}
