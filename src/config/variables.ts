/** The environment variables by name, with their defaults and meanings: the one table, which readers take defaults from. */

/** Variables that may contain a secret: NAME_FILE names a file to read each of them from. */
export const SECRETS = [
  "DATABASE_URL",
  "REDIS_URL",
  "LOQUAT_ENGINE_SECRET",
  "LOQUAT_LLM_KEY",
  "LOQUAT_METRICS_TOKEN",
  "LOQUAT_SECRET",
  "SMTP_URL",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
] as const;

/** `fallback` in words where the default is no fixed value. */
type Described = { fallback: string; summary: string };

const TABLE = {
  PORT: { fallback: "8080", summary: "the port to listen on" },
  HOST: { fallback: "127.0.0.1", summary: "the address to listen on" },
  LOQUAT_TLS_CERT: { fallback: "none", summary: "a certificate file, to serve https and wss" },
  LOQUAT_TLS_KEY: { fallback: "none", summary: "the file with the certificate's private key" },
  LOQUAT_WYOMING_PORT: {
    fallback: "none",
    summary: "the port of the Wyoming protocol, for Home Assistant; trusted networks only",
  },
  LOQUAT_WYOMING_KEY: { fallback: "none", summary: "the id of the API key that Wyoming requests use" },
  LOQUAT_METRICS_PORT: { fallback: "none", summary: "the port of /metrics, instead of PORT" },
  LOQUAT_METRICS_TOKEN: {
    fallback: "none",
    summary: "the bearer token of /metrics; without it, private networks may read them",
  },
  LOQUAT_URL: {
    fallback: "the listening address",
    summary: "the public URL, for links, cookies and payments",
  },
  LOQUAT_PROXIES: { fallback: "none", summary: "reverse proxies whose X-Forwarded-For is trusted" },
  LOQUAT_PUBLIC_CATALOGUE: {
    fallback: "0",
    summary: "1: voices and models are listed without a key, for clients' menus",
  },
  LOQUAT_REUSE_PORT: {
    fallback: "0",
    summary: "1: a newer server may take over while this one still listens",
  },
  NOTIFY_SOCKET: { fallback: "none", summary: "systemd's own: where it is told which process serves" },
  SYSTEMD_EXEC_PID: { fallback: "none", summary: "systemd's own: the process that it started" },
  LOQUAT_NODE: { fallback: "random", summary: "the name of this node among those of its database" },
  LOQUAT_DATA: { fallback: "./data", summary: "the data directory" },
  LOQUAT_CACHE: {
    fallback: "~/.cache/loquat",
    summary: "where an executable unpacks its libraries",
  },
  DATABASE_URL: { fallback: "none", summary: "PostgreSQL instead of SQLite" },
  REDIS_URL: { fallback: "none", summary: "Redis, for limits shared between nodes; without it, PostgreSQL" },
  LOQUAT_MODELS: { fallback: "models/", summary: "the directory of model manifests" },
  LOQUAT_WEIGHTS: { fallback: "./weights", summary: "the directory of installed packages" },
  LOQUAT_MIRROR: { fallback: "none", summary: "a URL prepended to every download" },
  LOQUAT_PULL: { fallback: "none", summary: "packages to install at start, or `recommended`" },
  LOQUAT_ACCEPT_LICENSES: { fallback: "none", summary: "packages whose restrictive licences are accepted" },
  LOQUAT_LLM_URL: { fallback: "none", summary: "a language model server, for conversations" },
  LOQUAT_LLM_MODEL: { fallback: "the only one that it lists", summary: "the name of its model" },
  LOQUAT_LLM_KEY: { fallback: "none", summary: "the key that it asks for" },
  LOQUAT_LLM_API: { fallback: "found by asking", summary: "its preset, such as ollama" },
  LOQUAT_DEVICE: { fallback: "auto", summary: "auto, cpu, cuda, webgpu or coreml" },
  LD_LIBRARY_PATH: { fallback: "none", summary: "the system's own: where it looks for CUDA's libraries" },
  LOQUAT_UNLOAD_MINUTES: { fallback: "30", summary: "idle minutes until a package is unloaded; 0: never" },
  LOQUAT_THREADS: { fallback: "number of cores", summary: "threads and processes of each kind of engine" },
  LOQUAT_MEMORY_MB: { fallback: "512", summary: "megabytes of audio that requests may hold in memory" },
  LOQUAT_ROLE: {
    fallback: "api",
    summary: "engine: this node runs engines for API nodes, and needs no database",
  },
  LOQUAT_ENGINE_SECRET: { fallback: "none", summary: "the secret shared by API and engine nodes" },
  LOQUAT_ENGINES: { fallback: "none", summary: "addresses of engine nodes, such as wss://gpu1:8080" },
  LOQUAT_JOIN: {
    fallback: "none",
    summary: "addresses of API nodes that an engine node connects to, such as wss://api.example",
  },
  LOQUAT_ENGINE_CA: {
    fallback: "the system's",
    summary: "a certificate file to trust in connections between nodes",
  },
  LOQUAT_SIGN_UP: { fallback: "open", summary: "who may sign up: open, invited or closed" },
  LOQUAT_SIGN_UP_DOMAINS: { fallback: "all", summary: "e-mail domains that may sign up" },
  LOQUAT_PLAN: {
    fallback: "unmetered",
    summary: "the plan of operators' organizations: unmetered or prepaid (the default with Stripe)",
  },
  LOQUAT_VOICE_CLONING: { fallback: "on", summary: "off: no voices are made of recordings, or spoken with" },
  LOQUAT_VOICES_MAX: { fallback: "100", summary: "how many voices of its own each organization may have" },
  LOQUAT_SECRET: { fallback: "generated", summary: "signs cookies and links in mails, encrypts voices" },
  SMTP_URL: { fallback: "none", summary: "the mail server; without it, mail is written to files" },
  MAIL_FROM: { fallback: "Loquat <loquat@localhost>", summary: "the sender of mails" },
  STRIPE_SECRET_KEY: { fallback: "none", summary: "enables payments" },
  STRIPE_WEBHOOK_SECRET: { fallback: "none", summary: "verifies Stripe's webhooks" },
  STRIPE_API_URL: { fallback: "Stripe's API", summary: "another address of Stripe's API, for tests" },
  LOQUAT_DRAIN_SECONDS: {
    fallback: "30",
    summary: "seconds that requests may take to end when the server stops",
  },
  LOQUAT_LAME_DUCK_SECONDS: {
    fallback: "2, on a terminal 0",
    summary: "seconds of these in which a stopping server still takes requests",
  },
  LOG_LEVEL: { fallback: "info", summary: "debug, info, warn, error or silent" },
  LOG_FORMAT: { fallback: "text on a terminal", summary: "json or text; json where there is no terminal" },
  LOG_REQUESTS: { fallback: "all", summary: "requests that have a line in the log: all, slow or errors" },
  OTEL_EXPORTER_OTLP_ENDPOINT: { fallback: "none", summary: "a collector of OpenTelemetry that gets traces" },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { fallback: "none", summary: "the same, with the path of traces" },
  OTEL_TRACES_EXPORTER: { fallback: "otlp", summary: "none: no traces" },
  OTEL_SDK_DISABLED: { fallback: "false", summary: "true: no traces" },
} satisfies Record<string, Described>;

export type Variable = keyof typeof TABLE;

/** Every variable, as `loquat --help` lists them. docs/configuration.md explains them; a test compares the two. */
export const VARIABLES: Record<Variable, Described> = TABLE;
