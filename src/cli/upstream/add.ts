/** `loquat upstream add`: asks a server for its models and voices, and offers them under names of this server. */
import type { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../clock.ts";
import { readConfig, readCredential, VARIABLES } from "../../config/config.ts";
import { type AnyModel, type CredentialReference, presetWith } from "../../upstreams/definition.ts";
import { discovered } from "../../upstreams/discovered-definition.ts";
import type { ModelChoice } from "../../upstreams/discovered-models.ts";
import { DISCOVERY_MS, dayOf, knownFrom } from "../../upstreams/operations.ts";
import { counted } from "../base/counted.ts";
import { addDetails } from "../base/details.ts";
import { JSON_OPTION, note, printJson, printLine, UsageError } from "../base/output.ts";
import { withUpstreams } from "./definitions.ts";

export function addCommand(command: Command): void {
  const add = command
    .command("add")
    .description("Add a server, or several that do the same, or replace the upstream of this name")
    .argument("<name>", "a name of your choice, such as gpu")
    .requiredOption("--url <url...>", "where it is; a name with several addresses is several servers")
    .requiredOption("--api <preset>", 'which kind of server it is; see "loquat upstream presets"')
    .option(
      "--model <theirs=ours...>",
      "only these models, and their ids here; tts: or stt: before one says what it is",
    )
    .option("--voice <theirs...>", "only these voices, or those of a server that lists none")
    .option("--language <code...>", "what models and voices speak that do not say it (default: en)")
    .option("--key-env <variable>", "the environment variable that holds its key")
    .option("--key-file <file>", "the file that holds its key")
    .option("--set <flag=value...>", "change a flag of the preset, such as speech.rate=22050")
    .option("--price <micros>", "for a million characters or seconds, in millionths of a dollar")
    .option(
      "--token-price <in,out>",
      "for a million tokens that a language model reads and writes, as --price",
    )
    .option("--fallback <engine>", "a local engine for what no server could do, such as kokoro-82m")
    .option("--follow", "ask it every ten minutes for its models, and offer those that it then lists")
    .option(...JSON_OPTION)
    .action((name, options) => run(name, options));
  addDetails(
    add,
    `Examples:
  loquat upstream add gpu --url http://10.0.0.5:8880 --api kokoro-fastapi
  loquat upstream add whisper --url http://stt.internal:8000 --api vllm --model openai/whisper-large-v3=svc-stt1
  loquat upstream add cloud --url https://api.openai.com --api openai --key-env OPENAI_API_KEY --model tts-1`,
  );
}

type Options = {
  url: string[];
  api: string;
  model?: string[] | undefined;
  voice?: string[] | undefined;
  language?: string[] | undefined;
  keyEnv?: string | undefined;
  keyFile?: string | undefined;
  set?: string[] | undefined;
  price?: string | undefined;
  tokenPrice?: string | undefined;
  fallback?: string | undefined;
  follow?: true | undefined;
  json?: true | undefined;
};

async function run(name: string, options: Options): Promise<void> {
  const { folder } = readConfig().models;
  const credential = credentialOf(options);
  if (options.follow && options.model)
    throw new UsageError("Give --follow or --model, not both: named models stay as they are.");
  const flags = flagsOf(options.set ?? []);
  await withUpstreams(async ({ set, admin }) => {
    const preset = presetWith(set.presets, options.api, flags);
    const upstream = { name, preset: options.api, urls: options.url, credential, flags };
    const definition = await discovered(
      { ...upstream, additions: additionsOf(options), follows: options.follow ?? false },
      { set, ...knownFrom(folder), credential: readCredential, today: dayOf(systemClock) },
      AbortSignal.timeout(DISCOVERY_MS),
    );
    const { models } = definition;
    await admin.put(definition);
    if (options.json) printJson(definition);
    else {
      for (const entry of models) printLine(`${entry.model}: ${entry.upstream_model}, ${aboutOf(entry)}`);
      const isAsked = models.some(({ type }) => type === "llm");
      if (preset.leaves_host)
        note(
          `${isAsked ? "What callers say leaves" : "Texts and recordings leave"} this machine for that of another company.`,
        );
    }
  });
}

function aboutOf(entry: AnyModel): string {
  if (entry.type === "llm") return "language model";
  return entry.type === "tts" ? counted(entry.voices.length, "voice") : entry.languages.join(" ");
}

function credentialOf({ keyEnv, keyFile }: Options): CredentialReference {
  if (keyEnv !== undefined && keyFile !== undefined)
    throw new UsageError("Give --key-env or --key-file, not both.");
  if (keyEnv !== undefined && Object.hasOwn(VARIABLES, keyEnv.replace(/_FILE$/, "")))
    throw new UsageError(`${keyEnv} is a setting of this server, and is not sent elsewhere.`);
  if (keyEnv !== undefined) return { env: keyEnv };
  return keyFile === undefined ? null : { file: keyFile };
}

/** `tts:theirs=ours`, with or without the first and the last part. */
function choiceOf(text: string): ModelChoice {
  const [, type = null, theirs = "", ours = null] = /^(?:(tts|stt|llm):)?([^=]+)(?:=(.+))?$/.exec(text) ?? [];
  if (theirs === "") throw new UsageError(`--model ${text} is not of the form theirs=ours.`);
  return { theirs, ours, type: type as ModelChoice["type"] };
}

/** `speech.rate=22050` as `{ speech: { rate: 22050 } }`; what is not JSON is text. */
function flagsOf(settings: string[]): Record<string, unknown> {
  const flags: Record<string, unknown> = {};
  for (const setting of settings) {
    const at = setting.indexOf("=");
    if (at < 1) throw new UsageError(`--set ${setting} is not of the form flag=value.`);
    const names = setting.slice(0, at).split(".");
    const last = names.pop()!;
    let inner = flags;
    for (const name of names) {
      const known = inner[name];
      const next = typeof known === "object" && known !== null ? (known as Record<string, unknown>) : {};
      inner[name] = next;
      inner = next;
    }
    inner[last] = parsed(setting.slice(at + 1));
  }
  return flags;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const additionsOf = (options: Options) => ({
  choices: (options.model ?? []).map(choiceOf),
  languages: options.language ?? [],
  voices: options.voice ?? [],
  fallback: options.fallback ?? null,
  priceMicros: options.price === undefined ? null : Number(options.price),
  tokenMicros: options.tokenPrice === undefined ? null : tokenMicrosOf(options.tokenPrice),
});

function tokenMicrosOf(text: string): { input: number; output: number } {
  const [, input, output] = /^(\d{1,15}),(\d{1,15})$/.exec(text) ?? [];
  if (output === undefined)
    throw new UsageError(`--token-price ${text} is not of the form in,out: two whole numbers.`);
  return { input: Number(input), output: Number(output) };
}
