/** `loquat conversation`: who callers of the realtime socket talk to, by a name. */

import { readFileSync } from "node:fs";
import { type Command, Option } from "@commander-js/extra-typings";
import { conversationsOf, type ListedConversation, SPECULATIONS } from "../../models/conversation.ts";
import type { ConversationAdmin } from "../../models/conversation-admin.ts";
import { openConversations } from "../../server/live-conversations.ts";
import type { UpstreamSet } from "../../upstreams/upstreams.ts";
import { withStorage } from "../base/context.ts";
import { addDetails } from "../base/details.ts";
import { upstreamsWithEnvironment } from "../base/known-upstreams.ts";
import {
  type Column,
  JSON_OPTION,
  note,
  printJson,
  printLine,
  printList,
  UsageError,
} from "../base/output.ts";
import { wholeNumber } from "../base/values.ts";
import { openCatalogue } from "../models/installed/packages.ts";
import { tryCommand } from "./try.ts";

export function conversation(command: Command): void {
  setCommand(command);
  command
    .command("default")
    .description("Make a conversation the one that names such as gpt-realtime stand for")
    .argument("<name>", "the conversation's name")
    .action((name) =>
      withConversations(async ({ admin }) => {
        if (!(await admin.setDefault(name))) throw unknown(name);
      }),
    );
  command
    .command("list")
    .description("List the conversations; a running server follows edits within a second")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withConversations(async ({ admin }) =>
        printList(conversationsOf(admin.current()).map(recordOf), { columns: COLUMNS, json }),
      ),
    );
  command
    .command("remove")
    .description("Remove a conversation")
    .argument("<name>", "the conversation's name")
    .action((name) =>
      withConversations(async ({ admin }) => {
        if (!(await admin.remove(name))) throw unknown(name);
      }),
    );
  tryCommand(command, (name) =>
    withConversations(async ({ admin, set }) => {
      const found = conversationsOf(admin.current()).find((each) => each.name === name);
      if (!found) throw unknown(name);
      return { conversation: found, set };
    }),
  );
}

const tokenLimit = (text: string): number | "inf" => (text === "inf" ? text : wholeNumber(text));

const switched = (flags: string, description: string) =>
  new Option(flags, description).choices(["on", "off"] as const);

function setCommand(command: Command): void {
  const set = command
    .command("set")
    .description("Create a conversation, or change what is named of it")
    .argument("<name>", "a name of your choice, which clients send as their model")
    .option("--llm <id>", 'the language model; "" is the first one, as for the other parts')
    .option("--stt <id>", "the model that listens")
    .option("--tts <id>", "the model that speaks")
    .option("--voice <id>", "its voice")
    .option("--instructions <text>", "what the language model is told")
    .option("--instructions-file <file>", "a file that says it")
    .option("--greeting <text>", 'what is said first; "": nothing')
    .option("--max-output-tokens <count>", 'of each answer, at most; "inf": what clients ask for', tokenLimit)
    .option("--interruption-ms <ms>", "how long a caller must speak to interrupt, 0 to 2000", wholeNumber)
    .addOption(switched("--backchannels <switch>", "whether 'mm-hm' and the like do not interrupt"))
    .addOption(switched("--resume <switch>", "whether an answer goes on after a sound without words"))
    .addOption(
      new Option("--speculate <when>", "ask the model before the caller has certainly finished").choices(
        SPECULATIONS,
      ),
    )
    .option(...JSON_OPTION)
    .action((name, options) => edit(name, options));
  addDetails(
    set,
    `Examples:
  loquat conversation set support --llm qwen3:8b --voice female-warm --greeting "Hello, this is Ada."
  loquat conversation set support --instructions-file persona.md
  loquat conversation set support --voice "" --interruption-ms 500`,
  );
}

type Switch = "on" | "off" | undefined;

type Options = {
  llm?: string | undefined;
  stt?: string | undefined;
  tts?: string | undefined;
  voice?: string | undefined;
  instructions?: string | undefined;
  instructionsFile?: string | undefined;
  greeting?: string | undefined;
  maxOutputTokens?: number | "inf" | undefined;
  interruptionMs?: number | undefined;
  backchannels?: Switch;
  resume?: Switch;
  speculate?: (typeof SPECULATIONS)[number] | undefined;
  json?: true | undefined;
};

async function edit(name: string, { json, ...options }: Options): Promise<void> {
  const changes = changesOf(options);
  await withConversations(async ({ admin, set }) => {
    const known = admin.current().find((each) => each.name === name);
    const { isDefault: _, ...before } = known ?? { isDefault: false, name };
    const saved = await admin.put({ ...before, ...changes });
    if (json) printJson(recordOf(saved));
    else printLine(sentenceOf(saved));
    const [first] = set.languageModels();
    const model =
      saved.llm === null ? first : set.languageModels().find(({ entry }) => entry.model === saved.llm);
    if (!model) note('There is no language model yet. Add one with "loquat upstream add".');
    if (model?.preset.leaves_host) note("What callers say leaves this machine for that of another company.");
  });
}

function changesOf({
  instructionsFile,
  interruptionMs,
  maxOutputTokens,
  ...options
}: Omit<Options, "json">): object {
  const { instructions, speculate } = options;
  if (instructionsFile !== undefined && instructions !== undefined)
    throw new UsageError("Give --instructions or --instructions-file, not both.");
  const part = (value: string | undefined) => (value === undefined ? undefined : value || null);
  const isOn = (value: Switch) => (value === undefined ? undefined : value === "on");
  const { llm, stt, tts, voice, greeting } = options;
  const changes = {
    ...{ llm: part(llm), stt: part(stt), tts: part(tts), voice: part(voice), greeting: part(greeting) },
    instructions: instructionsFile === undefined ? instructions : textOf(instructionsFile),
    ...{ interruption_ms: interruptionMs, speculate },
    max_output_tokens: maxOutputTokens === "inf" ? null : maxOutputTokens,
    ...{ backchannels: isOn(options.backchannels), resume: isOn(options.resume) },
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}

type Opened = { admin: ConversationAdmin; set: UpstreamSet };

const withConversations = <T>(work: (opened: Opened) => Promise<T>): Promise<T> =>
  withStorage(async (storage) => {
    const set = await upstreamsWithEnvironment();
    const admin = openConversations(storage, { catalogue: await openCatalogue(set), set });
    for (const fault of await admin.refresh()) note(`A conversation cannot be used: ${fault}`);
    return await work({ admin, set });
  });

const unknown = (name: string) =>
  new UsageError(`There is no conversation ${name}. See "loquat conversation list".`);

const recordOf = ({ isDefault, ...conversation }: ListedConversation) => ({
  object: "conversation",
  ...conversation,
  default: isDefault,
});

type ConversationRecord = ReturnType<typeof recordOf>;

const COLUMNS: Column<ConversationRecord>[] = [
  "name",
  { title: "DEFAULT", text: (row) => (row.default ? "yes" : null) },
  { title: "LLM", text: ({ llm }) => llm ?? "first" },
  { title: "STT", text: ({ stt }) => stt ?? "first" },
  { title: "TTS", text: ({ tts }) => tts ?? "first" },
  { title: "VOICE", text: ({ voice }) => voice ?? "first" },
  { title: "GREETING", text: ({ greeting }) => greeting, cut: true },
];

const sentenceOf = ({ name, llm, stt, voice, tts, isDefault }: ListedConversation): string =>
  `${name} asks ${llm ?? "the first language model"}, listens with ${stt ?? "the first STT model"} and speaks with ` +
  `${voice ?? "the first voice"} of ${tts ?? "the first TTS model"}${isDefault ? "; it is the default" : ""}.`;
