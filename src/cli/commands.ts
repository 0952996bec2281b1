/**
 * The command line: every command by name, and how a run ends.
 *
 * Results go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 not understood.
 */
import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { version } from "../../package.json";
import { ConfigError, readConfig, VARIABLES } from "../config.ts";
import { ProviderError } from "../engine/gpu/provider.ts";
import { Refusal } from "../errors.ts";
import { ManifestError } from "../models/manifest.ts";
import { PackageError } from "../models/package.ts";
import { ModelStoreError } from "../models/store/store-error.ts";
import { UsageError } from "./base/output.ts";

/** Adds the command's arguments, options, subcommands and action. */
type Define = (command: Command) => void;

/** Imported on use: `keys list` need not load an engine. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Define> }> = {
  serve: {
    summary: "Start the server",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  admin: {
    summary: "Manage the operators of this server",
    load: async () => (await import("./commands/admin.ts")).admin,
  },
  keys: { summary: "Manage API keys", load: async () => (await import("./commands/keys.ts")).keys },
  org: {
    summary: "Manage organizations and their limits",
    load: async () => (await import("./commands/org.ts")).org,
  },
  project: { summary: "Manage projects", load: async () => (await import("./commands/project.ts")).project },
  credit: {
    summary: "Grant credit and show balances",
    load: async () => (await import("./commands/credit.ts")).credit,
  },
  usage: {
    summary: "Show what was used and what it cost",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  ledger: {
    summary: "Verify the ledger",
    load: async () => (await import("./commands/ledger.ts")).ledger,
  },
  billing: {
    summary: "Reconcile payments with Stripe",
    load: async () => (await import("./commands/billing.ts")).billing,
  },
  models: {
    summary: "Install, verify and measure models",
    load: async () => (await import("./models/models.ts")).models,
  },
  voices: { summary: "List voices", load: async () => (await import("./commands/voices.ts")).voices },
  speak: {
    summary: "Synthesize a text to a file, without a server",
    load: async () => (await import("./speech/speak.ts")).speak,
  },
  normalize: {
    summary: "Show how a text is read, without synthesizing it",
    load: async () => (await import("./speech/normalize.ts")).normalize,
  },
  transcribe: {
    summary: "Transcribe a file, without a server",
    load: async () => (await import("./speech/transcribe.ts")).transcribe,
  },
  gpu: {
    summary: "Install the CUDA provider and show what it needs",
    load: async () => (await import("./commands/gpu.ts")).gpu,
  },
  doctor: {
    summary: "Show what is installed, what is missing and how to install it",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
};

const HELP_WIDTH = 100;

/** Runs one command and returns its exit code. */
export async function runCommand(args: string[]): Promise<number> {
  try {
    const program = await programFor(args);
    await program.parseAsync(args.length > 0 ? args : ["--help"], { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // its message is printed already
    const isUsage = error instanceof UsageError;
    if (!isUsage && !EXPECTED.some((kind) => error instanceof kind)) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    return isUsage ? 2 : 1;
  }
}

/** What the operator can correct; anything else is a bug and shows its stack. */
const EXPECTED = [ConfigError, ManifestError, PackageError, ModelStoreError, ProviderError, Refusal];

/** Every command by name and summary; the one that is asked for, `keys …` or `help keys …`, in full. */
async function programFor(args: string[]): Promise<CommandUnknownOpts> {
  const program = new Command("loquat")
    .description("A self-hosted, OpenAI-compatible speech API")
    .exitOverride()
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "Show help for a command")
    .showHelpAfterError("Add --help for usage.")
    .configureOutput({
      getOutHelpWidth: () => HELP_WIDTH,
      getErrHelpWidth: () => HELP_WIDTH,
      outputError: (text, write) => write(sentence(text)),
    })
    .hook("preAction", () => void readConfig()); // a wrong setting is reported before anything is touched
  const named = args[0] === "help" ? args[1] : args[0];
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (name === named) (await load())(command);
  }
  program.addHelpText("after", () => `\nEnvironment variables:\n${variables(program)}`);
  for (const command of commandsUnder(program))
    command.version(version, "-v, --version", "print the version");
  return program;
}

const commandsUnder = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(commandsUnder),
];

/** The parser's errors in the style of the commands' own. */
function sentence(text: string): string {
  const message = text.replace(/^error: (command-)?/, "");
  return message[0]!.toUpperCase() + message.slice(1);
}

function variables(program: CommandUnknownOpts): string {
  const help = program.createHelp();
  help.prepareContext({ helpWidth: HELP_WIDTH });
  const width = Math.max(...Object.keys(VARIABLES).map((name) => name.length));
  return Object.entries(VARIABLES)
    .map(([name, { fallback, summary }]) =>
      help.formatItem(name, width, fallback === "none" ? summary : `${summary} (default: ${fallback})`, help),
    )
    .join("\n");
}
