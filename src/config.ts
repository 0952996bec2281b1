/**
 * The only reader of the environment. Parsed once, at start; an error names the variable.
 *
 * Absence becomes a default or null here, never an `undefined` elsewhere.
 */
import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { LEVELS, type Level, LOG_FORMATS, type LogFormat } from "./log.ts";
import { PLANS, type Plan } from "./plans.ts";

/** Every variable, as `loquat --help` lists them. docs/configuration.md explains them; a test compares the two. */
export const VARIABLES: Record<string, { fallback: string; summary: string }> = {
  PORT: { fallback: "8080", summary: "the port to listen on" },
  HOST: { fallback: "127.0.0.1", summary: "the address to listen on" },
  LOQUAT_TLS_CERT: { fallback: "none", summary: "a certificate file, to serve https and wss" },
  LOQUAT_TLS_KEY: { fallback: "none", summary: "the file with the certificate's private key" },
  LOQUAT_WYOMING_PORT: {
    fallback: "none",
    summary: "the port of the Wyoming protocol, for Home Assistant; trusted networks only",
  },
  LOQUAT_WYOMING_KEY: { fallback: "none", summary: "the id of the API key that Wyoming requests use" },
  LOQUAT_URL: {
    fallback: "the listening address",
    summary: "the public URL, for links, cookies and payments",
  },
  LOQUAT_PROXIES: { fallback: "none", summary: "reverse proxies whose X-Forwarded-For is trusted" },
  LOQUAT_PUBLIC_CATALOGUE: {
    fallback: "0",
    summary: "1: voices and models are listed without a key, for clients' menus",
  },
  LOQUAT_DATA: { fallback: "./data", summary: "the data directory" },
  DATABASE_URL: { fallback: "none", summary: "PostgreSQL instead of SQLite" },
  REDIS_URL: { fallback: "none", summary: "Redis, for limits shared between nodes" },
  LOQUAT_MODELS: { fallback: "models/", summary: "the directory of model manifests" },
  LOQUAT_WEIGHTS: { fallback: "./weights", summary: "the directory of installed packages" },
  LOQUAT_MIRROR: { fallback: "none", summary: "a URL prepended to every download" },
  LOQUAT_PULL: { fallback: "none", summary: "packages to install at start, or `recommended`" },
  LOQUAT_ACCEPT_LICENSES: { fallback: "none", summary: "packages whose restrictive licences are accepted" },
  LOQUAT_DEVICE: { fallback: "auto", summary: "auto, cpu, cuda, webgpu or coreml" },
  LD_LIBRARY_PATH: { fallback: "none", summary: "the system's own: where it looks for CUDA's libraries" },
  LOQUAT_UNLOAD_MINUTES: { fallback: "30", summary: "idle minutes until a package is unloaded; 0: never" },
  LOQUAT_THREADS: { fallback: "number of cores", summary: "threads and processes of each kind of engine" },
  LOQUAT_MEMORY_MB: { fallback: "512", summary: "megabytes of audio that requests may hold in memory" },
  LOQUAT_SIGN_UP: { fallback: "open", summary: "who may sign up: open, invited or closed" },
  LOQUAT_SIGN_UP_DOMAINS: { fallback: "all", summary: "e-mail domains that may sign up" },
  LOQUAT_PLAN: {
    fallback: "unmetered",
    summary: "the plan of operators' organizations: unmetered or prepaid (the default with Stripe)",
  },
  LOQUAT_SECRET: { fallback: "generated", summary: "signs cookies and links in mails" },
  SMTP_URL: { fallback: "none", summary: "the mail server; without it, mail is written to files" },
  MAIL_FROM: { fallback: "Loquat <loquat@localhost>", summary: "the sender of mails" },
  STRIPE_SECRET_KEY: { fallback: "none", summary: "enables payments" },
  STRIPE_WEBHOOK_SECRET: { fallback: "none", summary: "verifies Stripe's webhooks" },
  STRIPE_API_URL: { fallback: "Stripe's API", summary: "another address of Stripe's API, for tests" },
  LOG_LEVEL: { fallback: "info", summary: "debug, info, warn, error or silent" },
  LOG_FORMAT: { fallback: "text on a terminal", summary: "json or text; json where there is no terminal" },
};

export type Config = {
  /**
   * `url`: the public URL, null where it is the listening address. `proxies`: addresses and networks such as 10.0.0.0/8.
   * `tls`: paths of PEM files, null: plain HTTP. `publicCatalogue`: voices and models are listed without a key.
   */
  http: {
    host: string;
    port: number;
    url: string | null;
    proxies: string[];
    publicCatalogue: boolean;
    tls: TlsFiles | null;
  };
  /** Null: no port. It listens on the host of `http`; `keyId` is the key that its requests belong to. */
  wyoming: { port: number; keyId: string } | null;
  identity: IdentityConfig;
  /** The plan of the first organization, and of those that operators create. Organizations of others are prepaid. */
  plan: Plan;
  /** Null: payments are disabled; only operators grant credit. */
  stripe: StripeConfig | null;
  /** `url` null: SQLite in `folder`. `limitsUrl` null: limits are counted in that database. */
  data: { folder: string; url: string | null; limitsUrl: string | null };
  models: ModelsConfig;
  /** `format` null: text on a terminal, JSON elsewhere. */
  log: { level: Level; format: LogFormat | null };
  /** `idleMs`: when an idle package is unloaded, null: never. `memoryMb`: audio held in memory by all requests. */
  engine: {
    threads: number;
    device: Device;
    libraryPath: string | null;
    idleMs: number | null;
    memoryMb: number;
  };
};

export type TlsFiles = { cert: string; key: string };

type ModelsConfig = {
  /** The manifests. */
  folder: string;
  /** The installed packages. */
  weights: string;
  /** Prepended to every download URL. */
  mirror: string | null;
  /** Names of packages to install at start, or `recommended`. */
  pull: string[];
  /** Names of packages whose licences are accepted for `pull`. */
  acceptedLicenses: string[];
};

/** A function, so that printing a configuration does not print the value. */
export type Secret = () => string;

export type IdentityConfig = {
  signUp: (typeof SIGN_UPS)[number];
  /** E-mail domains that may sign up; empty: all. */
  domains: string[];
  /** Signs cookies; null: generated once and kept in the database. */
  secret: Secret | null;
  /** Null: mail is written to a folder. */
  smtp: Secret | null;
  from: string;
};

/** `url`: null for Stripe's own API. */
export type StripeConfig = { key: Secret; webhookSecret: Secret; url: string | null };

const SIGN_UPS = ["open", "invited", "closed"] as const;
const SECRET_LENGTH_MIN = 32;
const DEVICES = ["auto", "cpu", "cuda", "webgpu", "coreml"] as const;
type Device = (typeof DEVICES)[number];

/** An invalid setting; the message names the variable. */
export class ConfigError extends Error {}

type Environment = Record<string, string | undefined>;

export function readConfig(environment: Environment = process.env): Config {
  const stripe = readStripe(environment);
  return {
    http: {
      host: text(environment, "HOST", "127.0.0.1"),
      port: whole(environment, "PORT", { fallback: 8080, min: 0, max: 65_535 }),
      url: address(environment, "LOQUAT_URL", ["https:", "http:"])?.replace(/(?<!\/)\/+$/, "") ?? null,
      proxies: networks(environment, "LOQUAT_PROXIES"),
      publicCatalogue:
        oneOf(environment, "LOQUAT_PUBLIC_CATALOGUE", { choices: ["0", "1"], fallback: "0" }) === "1",
      tls: readTls(environment),
    },
    wyoming: readWyoming(environment),
    identity: {
      signUp: oneOf(environment, "LOQUAT_SIGN_UP", { choices: SIGN_UPS, fallback: "open" }),
      domains: list(environment, "LOQUAT_SIGN_UP_DOMAINS"),
      secret: strongSecret(environment, "LOQUAT_SECRET"),
      smtp: address(environment, "SMTP_URL", ["smtp:", "smtps:"]) ? secret(environment, "SMTP_URL") : null,
      from: text(environment, "MAIL_FROM", "Loquat <loquat@localhost>"),
    },
    plan: oneOf(environment, "LOQUAT_PLAN", { choices: PLANS, fallback: stripe ? "prepaid" : "unmetered" }),
    stripe,
    data: {
      folder: text(environment, "LOQUAT_DATA", "./data"),
      url: address(environment, "DATABASE_URL", ["postgres:", "postgresql:"]),
      limitsUrl: address(environment, "REDIS_URL", ["redis:", "rediss:"]),
    },
    models: {
      folder: text(environment, "LOQUAT_MODELS", fileURLToPath(new URL("../models", import.meta.url))),
      weights: text(environment, "LOQUAT_WEIGHTS", "./weights"),
      mirror: address(environment, "LOQUAT_MIRROR", ["https:", "http:"]),
      pull: list(environment, "LOQUAT_PULL"),
      acceptedLicenses: list(environment, "LOQUAT_ACCEPT_LICENSES"),
    },
    log: {
      level: oneOf(environment, "LOG_LEVEL", { choices: LEVELS, fallback: "info" }),
      format: optional(environment, "LOG_FORMAT", LOG_FORMATS),
    },
    engine: {
      threads: whole(environment, "LOQUAT_THREADS", { fallback: availableParallelism(), min: 1, max: 256 }),
      device: oneOf(environment, "LOQUAT_DEVICE", { choices: DEVICES, fallback: "auto" }),
      libraryPath: environment.LD_LIBRARY_PATH ?? null,
      idleMs: minutes(whole(environment, "LOQUAT_UNLOAD_MINUTES", { fallback: 30, min: 0, max: 100_000 })),
      memoryMb: whole(environment, "LOQUAT_MEMORY_MB", { fallback: 512, min: 256, max: 1_000_000 }),
    },
  };
}

function readTls({ LOQUAT_TLS_CERT: cert, LOQUAT_TLS_KEY: key }: Environment): TlsFiles | null {
  if (!cert && !key) return null;
  if (!cert || !key) throw new ConfigError("LOQUAT_TLS_CERT and LOQUAT_TLS_KEY must be set together.");
  return { cert, key };
}

/** Both secrets or none: without the second, a webhook cannot be verified. */
function readStripe(environment: Environment): StripeConfig | null {
  const key = secret(environment, "STRIPE_SECRET_KEY");
  const webhookSecret = secret(environment, "STRIPE_WEBHOOK_SECRET");
  if (key === null && webhookSecret === null) return null;
  if (key === null || webhookSecret === null)
    throw new ConfigError("STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together.");
  return { key, webhookSecret, url: address(environment, "STRIPE_API_URL", ["https:", "http:"]) };
}

/** An id and not a secret: the server keeps secrets as hashes only, so its environment should hold none either. */
function readWyoming(environment: Environment): Config["wyoming"] {
  const { LOQUAT_WYOMING_PORT: port, LOQUAT_WYOMING_KEY: keyId } = environment;
  if (port === undefined && keyId === undefined) return null;
  if (port === undefined || keyId === undefined)
    throw new ConfigError(
      "LOQUAT_WYOMING_PORT and LOQUAT_WYOMING_KEY must be set together. Create a key with: loquat keys create --name home-assistant.",
    );
  if (!/^key_[0-9a-z]{1,64}$/.test(keyId))
    throw new ConfigError(
      "LOQUAT_WYOMING_KEY must be the id of a key, such as key_0mh3k2q9x1, not its secret. List ids with: loquat keys list.",
    );
  return { port: whole(environment, "LOQUAT_WYOMING_PORT", { fallback: 0, min: 0, max: 65_535 }), keyId };
}

/** Null for 0: never. */
const minutes = (count: number) => (count === 0 ? null : count * 60_000);

function text(environment: Environment, name: string, fallback: string): string {
  const value = environment[name];
  if (value === undefined) return fallback;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it to use ${fallback}.`);
  return value;
}

/** The message leaves the value out: it may contain a password. */
function address(environment: Environment, name: string, schemes: string[]): string | null {
  const value = environment[name];
  if (value === undefined) return null;
  if (schemes.includes(URL.parse(value)?.protocol ?? "") && value.length > value.indexOf("//") + 2)
    return value;
  throw new ConfigError(`${name} must be a URL that starts with ${schemes[0]}//.`);
}

function secret(environment: Environment, name: string): Secret | null {
  const value = environment[name];
  if (value === undefined) return null;
  if (value.trim() === "") throw new ConfigError(`${name} is empty. Unset it, or give it a value.`);
  return () => value;
}

/** Mails contain signatures made with it, so a weak secret could be guessed offline. */
function strongSecret(environment: Environment, name: string): Secret | null {
  const value = secret(environment, name);
  if (value === null || value().trim().length >= SECRET_LENGTH_MIN) return value;
  throw new ConfigError(
    `${name} must be random and have at least ${SECRET_LENGTH_MIN} characters. Create one with: openssl rand -base64 32.`,
  );
}

function networks(environment: Environment, name: string): string[] {
  const values = list(environment, name);
  const wrong = values.find((each) => !isNetwork(each));
  if (wrong === undefined) return values;
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

const optional = <T extends string>(environment: Environment, name: string, choices: readonly T[]) =>
  environment[name] === undefined ? null : oneOf(environment, name, { choices, fallback: choices[0]! });

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
