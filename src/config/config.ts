/**
 * The only reader of the environment. Parsed once, at start; an error names the variable.
 *
 * Absence becomes a default or null here, never an `undefined` elsewhere.
 */

import { availableParallelism, hostname } from "node:os";
import type { Level, LogFormat, RequestLines } from "../log/log.ts";
import type { Plan } from "../plans.ts";
import { resource } from "../resources.ts";
import type { SignUp } from "../sign-up-policy.ts";
import { type ClientSettings, readClient } from "./client.ts";
import { type DialectName, readDialects } from "./dialects.ts";
import {
  address,
  ConfigError,
  type Environment,
  list,
  minutes,
  networks,
  oneOf,
  oneOfOr,
  text,
  textOr,
  whole,
  wholeOr,
} from "./environment.ts";
import { type FileSettings, readFiles } from "./file-settings.ts";
import { type RetentionConfig, readRetention } from "./kept-settings.ts";
import { type LanguageModelSetting, readLanguageModel } from "./language-model-setting.ts";
import { type FleetConfig, readFleet } from "./nodes.ts";
import { type OutboundConfig, readOutbound } from "./outbound.ts";
import { credentialIn, type Secret, secretAddress, secretRedisAddress, strongSecret } from "./secrets.ts";
import { readSignIn, type SignInConfig } from "./sign-in.ts";
import { readStripe, type StripeConfig } from "./stripe-settings.ts";
import type { ChoiceOf } from "./variables.ts";

export { ConfigError } from "./environment.ts";
export type { FleetConfig } from "./nodes.ts";
export { matchesSecret, type Secret } from "./secrets.ts";
export {
  type OidcProvider,
  PROVIDER_IDS,
  PROXY_SOURCE,
  type ProxySignIn,
  type SignInSource,
} from "./sign-in.ts";
export { type Row, SECRETS, summaryOf, VARIABLES } from "./variables.ts";

export type Config = {
  /**
   * `url`: the public URL, null where it is the listening address. `proxies`: addresses and networks such as 10.0.0.0/8.
   * `tls`: paths of PEM files, null: plain HTTP. `publicCatalogue`: voices and models are listed without a key. `reusePort`: another process may
   * listen on the port too, so that it can take over.
   */
  http: {
    host: string;
    port: number;
    url: string | null;
    proxies: string[];
    publicCatalogue: boolean;
    dialects: readonly DialectName[];
    reusePort: boolean;
    tls: TlsFiles | null;
  };
  outbound: OutboundConfig;
  /** Names this process in logs, metrics and responses, and among the nodes of its database. */
  node: string;
  /** By systemd. `isMain`: it started this process itself. `notifySocket`: where it is told what the server does, or null. */
  service: { isMain: boolean; notifySocket: string | null };
  /** Null: no port. It listens on the host of `http`; `keyId` is the key that its requests belong to. */
  wyoming: { port: number; keyId: string } | null;
  /** `port` null: that of `http`. `token` null: this machine and private networks may read the metrics. */
  metrics: { port: number | null; token: Secret | null };
  identity: IdentityConfig;
  /** The plan of the first organization, and of those that operators create. Organizations of others are prepaid. */
  plan: Plan;
  /** `cloning`: whether voices are made of recordings. `max`: how many of its own each organization may have. */
  voices: { cloning: boolean; max: number };
  retention: RetentionConfig;
  /** Null: payments are disabled; only operators grant credit. */
  stripe: StripeConfig | null;
  /**
   * How long requests may take to end from the signal on, and for how much of that new ones are still taken. `lameDuckMs`
   * null: not on a terminal, where nothing routes requests, and two seconds elsewhere.
   */
  shutdown: { drainMs: number; lameDuckMs: number | null };
  /**
   * `url` null: SQLite in `folder`, which a server writes on a thread. `limitsUrl` null: limits are counted in that database.
   */
  data: { folder: string; url: string | null; limitsUrl: string | null; writer: "thread" | "here" };
  files: FileSettings;
  /** `secondsMax`: that the recording of a job may last. */
  jobs: { secondsMax: number };
  /** Where an executable unpacks its libraries; null: a folder of the user. */
  cache: string | null;
  models: ModelsConfig;
  /** The one that the environment names; null: none. */
  languageModel: LanguageModelSetting | null;
  /** `format` null: text on a terminal, JSON elsewhere. `requests`: which of them have a line. */
  log: { level: Level; format: LogFormat | null; requests: RequestLines; audit: boolean };
  client: ClientSettings;
  /** Null: no traces. */
  traces: TracesConfig | null;
  fleet: FleetConfig;
  /** `idleMs`: when an idle package is unloaded, null: never. `memoryMb`: audio held in memory by all requests. */
  engine: {
    threads: number;
    device: ChoiceOf<"LOQUAT_DEVICE">;
    libraryPath: string | null;
    idleMs: number | null;
    memoryMb: number;
  };
};

/** `url`: where a collector takes traces, OTLP over HTTP. */
export type TracesConfig = { url: string };

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

export type IdentityConfig = SignInConfig & {
  /** Null: as it is stored. */
  signUp: SignUp | null;
  /** E-mail domains that may sign up; empty: all. */
  domains: string[];
  /** Signs cookies; null: generated once and kept in the database. */
  secret: Secret | null;
  /** Null: mail is written to a folder. */
  smtp: Secret | null;
  from: string;
  /** N of scrypt; null: that of servers, with which stored passwords were hashed. */
  passwordCost: number | null;
};

/** The credential that is named, read at this time, so that a renewed one is used. */
export const readCredential = (
  reference: Parameters<typeof credentialIn>[1],
  environment: Environment = process.env,
): string | null => credentialIn(environment, reference);

export function readConfig(environment: Environment = process.env): Config {
  const stripe = readStripe(environment);
  return {
    http: {
      host: text(environment, "HOST"),
      port: whole(environment, "PORT"),
      url: address(environment, "LOQUAT_URL")?.replace(/(?<!\/)\/+$/, "") ?? null,
      proxies: networks(environment, "LOQUAT_PROXIES"),
      publicCatalogue: oneOf(environment, "LOQUAT_PUBLIC_CATALOGUE") === "1",
      dialects: readDialects(environment),
      reusePort: oneOf(environment, "LOQUAT_REUSE_PORT") === "1",
      tls: readTls(environment),
    },
    outbound: readOutbound(environment),
    node: readNode(environment),
    service: readService(environment),
    wyoming: readWyoming(environment),
    metrics: {
      port: wholeOr(environment, "LOQUAT_METRICS_PORT", null),
      token: strongSecret(environment, "LOQUAT_METRICS_TOKEN"),
    },
    identity: {
      ...readSignIn(environment),
      signUp: oneOfOr(environment, "LOQUAT_SIGN_UP", null),
      domains: list(environment, "LOQUAT_SIGN_UP_DOMAINS"),
      secret: strongSecret(environment, "LOQUAT_SECRET"),
      smtp: readSmtp(environment),
      from: text(environment, "MAIL_FROM"),
      passwordCost: null,
    },
    plan: stripe && environment.LOQUAT_PLAN === undefined ? "prepaid" : oneOf(environment, "LOQUAT_PLAN"),
    stripe,
    voices: readVoices(environment),
    retention: readRetention(environment),
    data: {
      folder: text(environment, "LOQUAT_DATA"),
      url: secretAddress(environment, "DATABASE_URL"),
      limitsUrl: secretRedisAddress(environment, "REDIS_URL"),
      writer: "thread",
    },
    files: readFiles(environment),
    jobs: { secondsMax: 3600 * whole(environment, "LOQUAT_JOB_HOURS") },
    shutdown: readShutdown(environment),
    cache: readCacheFolder(environment),
    models: {
      folder: textOr(environment, "LOQUAT_MODELS", resource("models")),
      weights: readWeightsFolder(environment),
      mirror: address(environment, "LOQUAT_MIRROR"),
      pull: list(environment, "LOQUAT_PULL"),
      acceptedLicenses: list(environment, "LOQUAT_ACCEPT_LICENSES"),
    },
    languageModel: readLanguageModel(environment),
    log: {
      level: oneOf(environment, "LOG_LEVEL"),
      format: oneOfOr(environment, "LOG_FORMAT", null),
      requests: oneOf(environment, "LOG_REQUESTS"),
      audit: oneOf(environment, "LOQUAT_AUDIT_LOG") === "1",
    },
    client: readClient(environment),
    traces: readTraces(environment),
    fleet: readFleet(environment),
    engine: {
      threads: wholeOr(environment, "LOQUAT_THREADS", availableParallelism()),
      device: oneOf(environment, "LOQUAT_DEVICE"),
      libraryPath: environment.LD_LIBRARY_PATH ?? null,
      idleMs: minutes(whole(environment, "LOQUAT_UNLOAD_MINUTES")),
      memoryMb: whole(environment, "LOQUAT_MEMORY_MB"),
    },
  };
}

function readVoices(environment: Environment): Config["voices"] {
  return {
    cloning: oneOf(environment, "LOQUAT_VOICE_CLONING") === "on",
    max: whole(environment, "LOQUAT_VOICES_MAX"),
  };
}

function readSmtp(environment: Environment): Secret | null {
  const url = secretAddress(environment, "SMTP_URL");
  return url === null ? null : () => url;
}

function readShutdown(environment: Environment): Config["shutdown"] {
  const lameDuck = wholeOr(environment, "LOQUAT_LAME_DUCK_SECONDS", null);
  return {
    drainMs: 1000 * whole(environment, "LOQUAT_DRAIN_SECONDS"),
    lameDuckMs: lameDuck === null ? null : 1000 * lameDuck,
  };
}

/** The variables of OpenTelemetry, as its specification defines them. Its library reads more of them. */
function readTraces(environment: Environment): TracesConfig | null {
  const complete = address(environment, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const base = address(environment, "OTEL_EXPORTER_OTLP_ENDPOINT");
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = environment;
  const url = complete ?? (base && `${base.replace(/\/$/, "")}/v1/traces`);
  return url === null || disabled?.toLowerCase() === "true" || exporter === "none" ? null : { url };
}

/** On its own, as the next one. */
export const readWeightsFolder = (environment: Environment = process.env): string =>
  text(environment, "LOQUAT_WEIGHTS");

/** On its own, because workers that are processes have no other setting. */
export const readCacheFolder = (environment: Environment = process.env): string | null =>
  textOr(environment, "LOQUAT_CACHE", null);

/** Clients see it, so by default it says nothing of the machine. It is the same whenever one process asks. */
function readNode({ LOQUAT_NODE: name }: Environment): string {
  const ofProcess = `${hostname()} ${process.pid} ${performance.timeOrigin}`;
  if (name === undefined) return Bun.hash(ofProcess).toString(36).slice(0, 6);
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)) return name;
  throw new ConfigError(
    `LOQUAT_NODE must have at most 63 letters, digits, dots, hyphens and underscores, not "${name}".`,
  );
}

const readService = ({ SYSTEMD_EXEC_PID, NOTIFY_SOCKET }: Environment): Config["service"] => ({
  isMain: SYSTEMD_EXEC_PID === String(process.pid),
  notifySocket: NOTIFY_SOCKET || null,
});

function readTls({ LOQUAT_TLS_CERT: cert, LOQUAT_TLS_KEY: key }: Environment): TlsFiles | null {
  if (!cert && !key) return null;
  if (!cert || !key) throw new ConfigError("LOQUAT_TLS_CERT and LOQUAT_TLS_KEY must be set together.");
  return { cert, key };
}

/** An id and not a secret: the server keeps secrets as hashes only, so its environment should hold none either. */
function readWyoming(environment: Environment): Config["wyoming"] {
  const port = wholeOr(environment, "LOQUAT_WYOMING_PORT", null);
  const { LOQUAT_WYOMING_KEY: keyId } = environment;
  if (port === null && keyId === undefined) return null;
  if (port === null || keyId === undefined)
    throw new ConfigError(
      "LOQUAT_WYOMING_PORT and LOQUAT_WYOMING_KEY must be set together. Create a key with: loquat keys create --name home-assistant.",
    );
  if (!/^key_[0-9a-z]{1,64}$/.test(keyId))
    throw new ConfigError(
      "LOQUAT_WYOMING_KEY must be the id of a key, such as key_0mh3k2q9x1, not its secret. List ids with: loquat keys list.",
    );
  return { port, keyId };
}
