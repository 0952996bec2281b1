/** The command line: which word runs what. Results go to standard output, everything else to standard error. */

import { version } from "../../package.json";
import { ConfigError, readConfig } from "../config.ts";
import { Fault } from "../errors.ts";
import { ManifestError } from "../models/manifest.ts";
import { PackageError } from "../models/package.ts";
import { ModelStoreError } from "../models/store/store-error.ts";
import { UsageError } from "./output.ts";

type Command = (args: string[]) => Promise<void>;

/** Imported when asked for: `keys list` need not load an engine. */
const COMMANDS: Record<string, { usage: string; load: () => Promise<Command> }> = {
  serve: { usage: "serve", load: async () => (await import("./serve.ts")).serve },
  admin: {
    usage:
      "admin create EMAIL [--name N --password-stdin] | admin list | admin revoke EMAIL | admin reset EMAIL [--password-stdin]",
    load: async () => (await import("./admin.ts")).admin,
  },
  keys: {
    usage:
      "keys create [--name N --project P --scope S … --days N --test] | keys list | keys rotate KEY_ID [--grace SECONDS] | keys revoke KEY_ID",
    load: async () => (await import("./keys.ts")).keys,
  },
  org: {
    usage:
      "org create NAME | org list | org set-limits ORG_ID [--requests N --concurrency N --characters N --seconds N --monthly DOLLARS|none --reset]",
    load: async () => (await import("./organizations.ts")).org,
  },
  project: {
    usage: "project create NAME [--org ORG_ID] | project list | project archive PROJECT_ID",
    load: async () => (await import("./organizations.ts")).project,
  },
  credit: {
    usage:
      "credit grant DOLLARS [--org ORG_ID --days N --idempotency-key KEY] | credit balance | credit history",
    load: async () => (await import("./money.ts")).credit,
  },
  usage: { usage: "usage [--org ORG_ID]", load: async () => (await import("./money.ts")).usage },
  ledger: { usage: "ledger verify", load: async () => (await import("./money.ts")).ledger },
  billing: {
    usage: "billing reconcile [--days N --repair]",
    load: async () => (await import("./money.ts")).billing,
  },
  models: {
    usage:
      "models list | info NAME | pull NAME…|recommended [--variant V --mirror URL --accept-license] | verify [NAME…] | rm NAME… | import DIR|TAR [--as NAME] | export NAME [--out FILE] | add FILE|URL | check [NAME…] | bench [NAME…]",
    load: async () => (await import("./models.ts")).models,
  },
  voices: { usage: "voices list", load: async () => (await import("./speak.ts")).voices },
  speak: {
    usage: 'speak "text" -o out.wav [--model M --voice V --format F --speed S]',
    load: async () => (await import("./speak.ts")).speak,
  },
  transcribe: {
    usage: "transcribe FILE [--format text|json|verbose_json|srt|vtt --model M --language L]",
    load: async () => (await import("./transcribe.ts")).transcribe,
  },
  doctor: { usage: "doctor", load: async () => (await import("./doctor.ts")).doctor },
};

const USAGE = `loquat: a speech service you host yourself

${Object.values(COMMANDS)
  .map(({ usage }) => `  loquat ${usage}`)
  .join("\n")}

  --help after a command shows how to use it; --version prints the version. Every list takes --json. Settings: PORT, HOST, LOQUAT_URL, LOQUAT_PROXIES, LOQUAT_DATA, LOQUAT_MODELS, LOQUAT_WEIGHTS, LOQUAT_MIRROR,
  LOQUAT_THREADS, LOQUAT_DEVICE, LOQUAT_UNLOAD_MINUTES, LOQUAT_MEMORY_MB, LOG_LEVEL, DATABASE_URL, REDIS_URL, LOQUAT_SIGN_UP,
  LOQUAT_SIGN_UP_DOMAINS, LOQUAT_SECRET, SMTP_URL, MAIL_FROM, STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET.`;

const HELP = ["--help", "-h"];

/** Runs one command; its exit code: 0 done, 1 failed, 2 not understood. `--help` is understood anywhere before a `--`. */
export async function runCommand([name = "help", ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const options = args.slice(0, args.includes("--") ? args.indexOf("--") : args.length);
  if (["help", ...HELP].includes(name)) return say(USAGE);
  if (["version", "--version", "-v"].includes(name)) return say(version);
  if (command && options.some((option) => HELP.includes(option))) return say(`  loquat ${command.usage}`);
  try {
    readConfig(); // a wrong setting is refused before anything is touched
    if (!command) throw new UsageError(`There is no command ${name}.\n\n${USAGE}`);
    const run = await command.load();
    await run(args);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const misread = isMisread(error);
    if (!misread && !MENDABLE.some((kind) => error instanceof kind)) throw error;
    const usage = misread && command ? `\n\n  loquat ${command.usage}` : "";
    process.stderr.write(`${error.message}${usage}\n`);
    return misread ? 2 : 1;
  }
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

/** What the operator can mend; anything else is a bug and shows its stack. */
const MENDABLE = [ConfigError, ManifestError, PackageError, ModelStoreError, Fault];

const isMisread = (error: Error & { code?: string }): boolean =>
  error instanceof UsageError || (error.code?.startsWith("ERR_PARSE_ARGS") ?? false);
