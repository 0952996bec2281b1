/**
 * The only reader of the environment. Parsed once, at start; a wrong value is refused with the variable's name.
 *
 * Absence is a default or null here, never an `undefined` somewhere else.
 */
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { LEVELS, type Level } from "./log.ts";

export type Config = {
  /** `url`: where browsers find it, for the links of mails; null: where it listens. `proxies`, addresses and networks as 10.0.0.0/8, are believed about callers. */
  http: { host: string; port: number; url: string | null; proxies: string[] };
  identity: IdentityConfig;
  /** Null: nothing is sold here, and credit comes from the operator alone. */
  stripe: StripeConfig | null;
  /** `url` null: SQLite in the folder. `limitsUrl` null: limits are counted there too. */
  data: { folder: string; url: string | null; limitsUrl: string | null };
  /** `folder` holds the manifests, `weights` what was installed of the models they name; `mirror` stands before the address of whatever is pulled. */
  models: { folder: string; weights: string; mirror: string | null };
  log: { level: Level };
  /**
   * `device` auto: the best that is there. `idleMs`: an engine of a package that ran nothing for so long is unloaded.
   * `memoryMb`: what requests may hold of audio, all together.
   */
  engine: { threads: number; device: Device; idleMs: number | null; memoryMb: number };
};

/** Read when it is needed; nothing that prints a configuration prints it. */
export type Secret = () => string;

export type IdentityConfig = {
  signUp: (typeof SIGN_UPS)[number];
  /** E-mail domains that may sign up; empty: all. */
  domains: string[];
  /** Signs cookies; null: one that is made once and kept in the database. */
  secret: Secret | null;
  /** Null: mail is written to a folder. */
  smtp: Secret | null;
  from: string;
};

/** `url`: where Stripe's API is, for a server that stands in for it. */
export type StripeConfig = { key: Secret; webhookSecret: Secret; url: string | null };

const SIGN_UPS = ["open", "invited", "closed"] as const;
const SECRET_LENGTH_MIN = 32;
const DEVICES = ["auto", "cpu", "cuda", "webgpu"] as const;
type Device = (typeof DEVICES)[number];

/** A setting that cannot be used; the message names the variable. */
export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>;

export function readConfig(environment: Environment = process.env): Config {
  return {
    http: {
      host: text(environment, "HOST", "127.0.0.1"),
      port: whole(environment, "PORT", { fallback: 8080, min: 0, max: 65_535 }),
      url: address(environment, "LOQUAT_URL", ["https:", "http:"])?.replace(/(?<!\/)\/+$/, "") ?? null,
      proxies: networks(environment, "LOQUAT_PROXIES"),
    },
    identity: {
      signUp: oneOf(environment, "LOQUAT_SIGN_UP", { choices: SIGN_UPS, fallback: "open" }),
      domains: list(environment, "LOQUAT_SIGN_UP_DOMAINS"),
      secret: strongSecret(environment, "LOQUAT_SECRET"),
      smtp: address(environment, "SMTP_URL", ["smtp:", "smtps:"]) ? secret(environment, "SMTP_URL") : null,
      from: text(environment, "MAIL_FROM", "Loquat <loquat@localhost>"),
    },
    stripe: readStripe(environment),
    data: {
      folder: text(environment, "LOQUAT_DATA", "./data"),
      url: address(environment, "DATABASE_URL", ["postgres:", "postgresql:"]),
      limitsUrl: address(environment, "REDIS_URL", ["redis:", "rediss:"]),
    },
    models: {
      folder: text(environment, "LOQUAT_MODELS", fileURLToPath(new URL("../models", import.meta.url))),
      weights: text(environment, "LOQUAT_WEIGHTS", "./weights"),
      mirror: address(environment, "LOQUAT_MIRROR", ["https:", "http:"]),
    },
    log: { level: oneOf(environment, "LOG_LEVEL", { choices: LEVELS, fallback: "info" }) },
    engine: {
      threads: whole(environment, "LOQUAT_THREADS", { fallback: availableParallelism(), min: 1, max: 256 }),
      device: oneOf(environment, "LOQUAT_DEVICE", { choices: DEVICES, fallback: "auto" }),
      idleMs: minutes(whole(environment, "LOQUAT_UNLOAD_MINUTES", { fallback: 30, min: 0, max: 100_000 })),
      memoryMb: whole(environment, "LOQUAT_MEMORY_MB", { fallback: 512, min: 256, max: 1_000_000 }),
    },
  };
}

/** Both secrets or none: without the second one nobody could tell a payment from a forgery. */
function readStripe(environment: Environment): StripeConfig | null {
  const key = secret(environment, "STRIPE_SECRET_KEY");
  const webhookSecret = secret(environment, "STRIPE_WEBHOOK_SECRET");
  if (key === null && webhookSecret === null) return null;
  if (key === null || webhookSecret === null)
    throw new ConfigError("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET go together: set both or none.");
  return { key, webhookSecret, url: address(environment, "STRIPE_API_URL", ["https:", "http:"]) };
}

/** Zero: never. */
const minutes = (count: number) => (count === 0 ? null : count * 60_000);

function text(environment: Environment, name: string, fallback: string): string {
  const value = environment[name];
  if (value === undefined) return fallback;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it to use ${fallback}.`);
  return value;
}

/** The value stays out of the message: it may hold a password. */
function address(environment: Environment, name: string, schemes: string[]): string | null {
  const value = environment[name];
  if (value === undefined) return null;
  if (schemes.includes(URL.parse(value)?.protocol ?? "") && value.length > value.indexOf("//") + 2)
    return value;
  throw new ConfigError(`${name} must be an address that starts with ${schemes[0]}//.`);
}

function secret(environment: Environment, name: string): Secret | null {
  const value = environment[name];
  if (value === undefined) return null;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it, or give it a value.`);
  return () => value;
}

/** Every mail holds something signed with it, so that whoever has one may guess it at leisure. */
function strongSecret(environment: Environment, name: string): Secret | null {
  const given = secret(environment, name);
  if (given === null || given().trim().length >= SECRET_LENGTH_MIN) return given;
  throw new ConfigError(
    `${name} must have ${SECRET_LENGTH_MIN} characters or more, and be random: openssl rand -base64 32.`,
  );
}

function networks(environment: Environment, name: string): string[] {
  const given = list(environment, name);
  const wrong = given.find((each) => !isNetwork(each));
  if (wrong === undefined) return given;
  throw new ConfigError(
    `${name} has "${wrong}", which is neither an IP address nor a network such as 10.0.0.0/8.`,
  );
}

function isNetwork(text: string): boolean {
  const [address = "", prefix = "0", ...more] = text.split("/");
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return more.length === 0 && !address.includes("%") && /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}

const list = (environment: Environment, name: string): string[] =>
  (environment[name] ?? "")
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");

type Range = { fallback: number; min: number; max: number };

function whole(environment: Environment, name: string, { fallback, min, max }: Range): number {
  const value = environment[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < min || number > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
  }
  return number;
}

type Choice<T> = { choices: readonly T[]; fallback: T };

function oneOf<T extends string>(
  environment: Environment,
  name: string,
  { choices, fallback }: Choice<T>,
): T {
  const value = environment[name] ?? fallback;
  const choice = choices.find((candidate) => candidate === value);
  if (choice === undefined)
    throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${value}".`);
  return choice;
}
