/** `loquat conversation try`: speaks to a conversation as a caller would, and shows the answer and what took how long. */

import type { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { type Config, readConfig } from "../../config/config.ts";
import { openConversationRows } from "../../db/queries/conversation-rows.ts";
import { OperatorError } from "../../errors.ts";
import { openLog } from "../../log/log.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type Conversation, type ListedConversation, speakingModel } from "../../models/conversation.ts";
import { buildApp } from "../../server/app.ts";
import { listen } from "../../server/network.ts";
import { openServices } from "../../server/services.ts";
import { firstStart } from "../../server/storage.ts";
import type { UpstreamSet } from "../../upstreams/upstreams.ts";
import { JSON_OPTION, printFinding, printJson, printLine } from "../base/output.ts";
import { openStatusLine } from "../base/status-line.ts";
import { openScratch } from "../speech/scratch.ts";
import { type Held, hold } from "./held-turn.ts";

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

/**
 * A server for the length of a command, with one conversation and the upstreams of this installation: on a free port of this
 * machine, over a database of its own, so that nothing is charged and a running server is not disturbed.
 */
type PrivateServer = AsyncDisposable & { url: string; key: string; catalogue: Catalogue };

async function openPrivateServer(
  { isDefault: _, ...conversation }: Conversation & { isDefault: boolean },
  upstreams: UpstreamSet,
): Promise<PrivateServer> {
  await using stack = new AsyncDisposableStack();
  const scratch = stack.use(openScratch());
  const config = privately(readConfig(), scratch.folder);
  const services = stack.use(
    await openServices(
      config,
      systemClock,
      openLog("silent", () => {}),
    ),
  );
  services.upstreams.use(upstreams.list().map(({ definition }) => definition));
  const unasked = { ...conversation, greeting: null }; // it would be spoken over what the caller says
  await openConversationRows(services.database).put(unasked);
  await services.conversations.refresh();
  const first = await firstStart(services, config.plan);
  const server = listen(buildApp(services), config);
  stack.defer(() => server.stop(true));
  const opened = stack.move();
  return {
    url: server.url.origin,
    key: first!.key.secret,
    catalogue: services.catalogue,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const privately = (config: Config, folder: string): Config => ({
  ...config,
  ...{ plan: "unmetered", languageModel: null, stripe: null, wyoming: null, traces: null },
  http: { ...config.http, host: "127.0.0.1", port: 0, url: null, tls: null, reusePort: false },
  data: { ...config.data, folder, url: null, limitsUrl: null },
  fleet: { role: "api", secret: null, engines: [], join: [], ca: null },
});
