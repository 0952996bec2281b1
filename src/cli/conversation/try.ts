/** `loquat conversation try`: speaks to a conversation as a caller would, and shows the answer and what took how long. */
import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../errors.ts";
import type { ListedConversation } from "../../models/conversation.ts";
import { speakingModel } from "../../models/conversation.ts";
import type { UpstreamSet } from "../../upstreams/upstream-set.ts";
import { JSON_OPTION, printFinding, printJson, printLine } from "../base/output.ts";
import { openStatusLine } from "../base/status-line.ts";
import { type Held, hold } from "./held-turn.ts";
import { openPrivateServer, type PrivateServer } from "./private-server.ts";

type Tried = { conversation: ListedConversation; set: UpstreamSet };

/** `find`: throws where there is no such conversation. */
export function tryCommand(command: Command, find: (name: string) => Promise<Tried>): void {
  command
    .command("try")
    .description(
      "Speak to a conversation, in a server of this command's own; exit code 1 if it does not answer",
    )
    .argument("<name>", "the conversation's name")
    .requiredOption("--say <text>", "what the caller says")
    .option(...JSON_OPTION)
    .action(async (name, { say, json }) => {
      const { conversation, set } = await find(name);
      using status = openStatusLine();
      status.show("Loading the models …");
      await using server = await openPrivateServer(conversation, set);
      const held = await attempt(server, { conversation, say });
      status[Symbol.dispose]();
      if (json) printJson({ object: "conversation.trial", name, ...held });
      else print(held);
      if (held.failure !== null) process.exitCode = 1;
    });
}

/** Once before, for the recognizer alone, so that no model is loaded in the time that is measured. */
async function attempt(
  { url, key, catalogue }: PrivateServer,
  { conversation, say }: { conversation: ListedConversation; say: string },
): Promise<Held> {
  const model = speakingModel(catalogue, conversation) ?? "";
  const voice = conversation.voice ?? catalogue.voices.find(({ models }) => models.includes(model))?.id;
  const response = await fetch(`${url}/v1/audio/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, voice, input: say, response_format: "pcm" }),
  });
  if (!response.ok) throw new OperatorError(`The text could not be spoken: ${await response.text()}`);
  const call = { url, key, name: conversation.name, speech: await response.bytes() };
  await hold(call, { isAnswered: false });
  return await hold(call, { isAnswered: true });
}

const STAGES: Record<keyof Held["latency"], string> = {
  transcript_ms: "transcript",
  first_token_ms: "first token",
  first_clause_ms: "first clause",
  first_sound_ms: "first sound",
};

function print({ heard, answer, latency, failure }: Held): void {
  printLine(`Heard   ${heard}`);
  if (answer !== "") printLine(`Answer  ${answer}`);
  if (failure !== null) printFinding(`failed  ${failure}`);
  printLine("\nAfter the end of speech:");
  for (const [stage, title] of Object.entries(STAGES) as [keyof Held["latency"], string][]) {
    const ms = latency[stage];
    printLine(`  ${title.padEnd(13)} ${ms === null ? "–" : `${ms} ms`}`);
  }
}
