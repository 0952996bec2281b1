/** The command line as a tree of commands: names, arguments, options and summaries, from which help, completion and docs come. */
import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { version } from "../../package.json";
import { readConfig } from "../config/config.ts";
import { asTyped } from "./base/as-typed.ts";
import { addDetails } from "./base/details.ts";
import { completion } from "./completion/completion.ts";

/** Adds the command's arguments, options, subcommands and action. */
type Define = (command: Command) => void;

/** Imported on use: `keys list` need not load an engine. */
const COMMANDS: Record<string, { summary: string; load: () => Promise<Define> }> = {
  serve: {
    summary: "Start the server",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  health: {
    summary: "Ask a running server whether it answers",
    load: async () => (await import("./service/health.ts")).health,
  },
  reload: {
    summary: "Replace a running server by a new process that reads its files again",
    load: async () => (await import("./service/reload.ts")).reload,
  },
  admin: {
    summary: "Manage the operators of this server",
    load: async () => (await import("./commands/admin.ts")).admin,
  },
  keys: { summary: "Manage API keys", load: async () => (await import("./commands/keys.ts")).keys },
  "admin-keys": {
    summary: "Manage admin keys: for programs that report on an organization and manage it",
    load: async () => (await import("./commands/admin-keys.ts")).adminKeys,
  },
  org: {
    summary: "Manage organizations and their limits",
    load: async () => (await import("./commands/org.ts")).org,
  },
  project: { summary: "Manage projects", load: async () => (await import("./commands/project.ts")).project },
  credit: {
    summary: "Grant credit and show balances",
    load: async () => (await import("./commands/credit.ts")).credit,
  },
  prices: {
    summary: "Manage what models cost, now and from a day on",
    load: async () => (await import("./commands/prices.ts")).prices,
  },
  accounts: {
    summary: "Show what became of the credit of each organization in a month",
    load: async () => (await import("./commands/accounts.ts")).accounts,
  },
  usage: {
    summary: "Show what was used and what it cost",
    load: async () => (await import("./commands/usage.ts")).usage,
  },
  audit: {
    summary: "Show who changed what, on the server and in its organizations",
    load: async () => (await import("./commands/audit.ts")).audit,
  },
  ledger: {
    summary: "Verify the ledger",
    load: async () => (await import("./commands/ledger.ts")).ledger,
  },
  backup: {
    summary: "Write everything but weights to one file, while the server runs",
    load: async () => (await import("./backup/backup.ts")).backup,
  },
  restore: {
    summary: "Read a backup into an empty data directory",
    load: async () => (await import("./backup/restore.ts")).restore,
  },
  export: {
    summary: "Write all that is kept of an organization to one archive",
    load: async () => (await import("./commands/export.ts")).exportOrganization,
  },
  billing: {
    summary: "Reconcile payments with Stripe",
    load: async () => (await import("./commands/billing.ts")).billing,
  },
  alias: {
    summary: "Manage aliases: names of other services for models and voices",
    load: async () => (await import("./commands/alias.ts")).alias,
  },
  webhook: {
    summary: "Manage webhooks: where events of the server are sent",
    load: async () => (await import("./commands/webhook.ts")).webhook,
  },
  pronunciation: {
    summary: "Set how words are read in the speech of an organization",
    load: async () => (await import("./commands/pronunciation.ts")).pronunciation,
  },
  models: {
    summary: "Install, verify and measure models",
    load: async () => (await import("./models/models.ts")).models,
  },
  upstream: {
    summary: "Offer models of other speech servers",
    load: async () => (await import("./upstream/upstream.ts")).upstream,
  },
  conversation: {
    summary: "Set who callers of the realtime socket talk to",
    load: async () => (await import("./conversation/conversation.ts")).conversation,
  },
  voices: {
    summary: "List voices, and make your own",
    load: async () => (await import("./commands/voices.ts")).voices,
  },
  speak: {
    summary: "Synthesize a text to a file or aloud, without a server",
    load: async () => (await import("./speech/speak.ts")).speak,
  },
  normalize: {
    summary: "Show how a text is read, without synthesizing it",
    load: async () => (await import("./speech/normalize.ts")).normalize,
  },
  transcribe: {
    summary: "Transcribe recordings of any length, without a server or as its jobs",
    load: async () => (await import("./speech/transcribe.ts")).transcribe,
  },
  jobs: {
    summary: "Show, wait for, read, cancel and delete the jobs of a server",
    load: async () => (await import("./jobs/jobs.ts")).jobs,
  },
  gpu: {
    summary: "Install the CUDA provider and show what it needs",
    load: async () => (await import("./commands/gpu.ts")).gpu,
  },
  doctor: {
    summary: "Show what is installed, what is missing and how to install it",
    load: async () => (await import("./service/doctor.ts")).doctor,
  },
  environment: {
    summary: "List the environment variables that the server and these commands read",
    load: async () => (await import("./installation/environment.ts")).environment,
  },
  version: {
    summary: "Print version, flavour, platform and database schema",
    load: async () => (await import("./installation/version.ts")).version,
  },
  upgrade: {
    summary: "Replace the executable by another version, and hand over to it",
    load: async () => (await import("./upgrade/upgrade.ts")).upgrade,
  },
  unpack: {
    summary: "Unpack the libraries of an executable",
    load: async () => (await import("./installation/unpack.ts")).unpack,
  },
  licenses: {
    summary: "Print the licences of what is installed",
    load: async () => (await import("./installation/licenses.ts")).licenses,
  },
  man: {
    summary: "Print the manual page",
    load: async () => {
      const { man } = await import("./installation/man.ts");
      return (command) => man(command, wholeProgram);
    },
  },
  completion: {
    summary: "Print a script that completes commands in a shell",
    load: async () => (command) => completion(command, wholeProgram),
  },
};

const HELP_WIDTH = 80;

/** Every command by name and summary; the one that is asked for, `keys …` or `help keys …`, in full. */
export async function programFor(args: string[]): Promise<CommandUnknownOpts> {
  const named = args[0] === "help" ? args[1] : args[0];
  return await buildProgram((name) => name === named);
}

/** Every command in full. @internal */
export const wholeProgram = (): Promise<CommandUnknownOpts> => buildProgram(() => true);

async function buildProgram(isLoaded: (name: string) => boolean): Promise<CommandUnknownOpts> {
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
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (isLoaded(name)) (await load())(command);
  }
  addDetails(program, EXIT_CODES);
  program.addHelpText("after", () => asTyped("\nEnvironment variables: loquat help environment"));
  for (const command of commandsUnder(program))
    command.version(version, "-v, --version", "print the version");
  return program;
}

const EXIT_CODES = `Exit codes:
  0    done
  1    failed, or verify, check or reconcile found a difference
  2    the command was not understood
  130  interrupted`;

const commandsUnder = (command: CommandUnknownOpts): CommandUnknownOpts[] => [
  command,
  ...command.commands.flatMap(commandsUnder),
];

/** The parser's errors in the style of the commands' own. */
function sentence(text: string): string {
  const message = text.replace(/^error: (command-)?/, "");
  return message[0]!.toUpperCase() + message.slice(1);
}
