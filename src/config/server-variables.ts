/** The variables of the process: its network, its data, the nodes beside it, how it stops and what it reports. */
import { LEVELS, LOG_FORMATS, REQUEST_LINES } from "../log/log.ts";

const SWITCH = ["0", "1"] as const;
const PORTS = [0, 65_535] as const;
const STRONG = "32 random characters or more";

/** By the headings of docs/configuration.md. */
export const SERVER = {
  Network: {
    PORT: { range: PORTS, fallback: "8080", meaning: "The port to listen on. 0 picks a free one." },
    HOST: { values: "an address", fallback: "127.0.0.1", meaning: "The address to listen on." },
    LOQUAT_URL: {
      schemes: ["https:", "http:"],
      absent: "the listening address",
      meaning:
        "The public URL, with a path if it has one. Links in mails, cookies and payment returns are built from it.",
    },
    LOQUAT_TLS_CERT: {
      values: "a PEM file",
      meaning: "A certificate, to serve https and wss. Set together with `LOQUAT_TLS_KEY`.",
    },
    LOQUAT_TLS_KEY: { values: "a PEM file", meaning: "The certificate's private key." },
    LOQUAT_PROXIES: {
      values: "IP addresses or networks such as `10.0.0.0/8`, separated by commas",
      meaning: "Reverse proxies whose `X-Forwarded-For` is trusted.",
    },
    LOQUAT_PUBLIC_CATALOGUE: {
      choices: SWITCH,
      fallback: "0",
      meaning:
        "`1`: voices and models are listed without a key. Clients that fill their menus without one need it; it opens `GET /v1/audio/voices` and `/v1/audio/models`.",
    },
    LOQUAT_DIALECTS: {
      values: "`elevenlabs`, `deepgram`, `jambonz` and `mcp`, separated by commas, or `none`",
      fallback: "elevenlabs,deepgram,jambonz,mcp",
      meaning:
        "The APIs that clients may speak beside OpenAI's: of other vendors, and the [Model Context Protocol](mcp.md). See [clients.md](clients.md).",
    },
    LOQUAT_OUTBOUND_NETWORKS: {
      values: "IP addresses or networks such as `192.168.1.0/24`, separated by commas",
      meaning:
        "Networks beside the public one whose addresses users may name, such as those of recordings and of [webhooks](webhooks.md). Plain `http` is allowed there. Addresses where clouds keep credentials are never read.",
    },
    LOQUAT_OUTBOUND_PROXY: {
      schemes: ["http:"],
      secret: true,
      meaning:
        "The HTTP proxy for requests to such addresses, beside those of `LOQUAT_OUTBOUND_NETWORKS`. For example `http://user:password@proxy.example:3128`. Addresses and names are checked here too, but it resolves names itself: it must refuse private networks.",
    },
    LOQUAT_WYOMING_PORT: {
      range: PORTS,
      meaning:
        "The port of the Wyoming protocol, for Home Assistant; trusted networks only. It listens on `HOST`, without authentication. Unset, an operator opens and closes it in the dashboard. See [home-assistant.md](home-assistant.md).",
    },
    LOQUAT_WYOMING_KEY: {
      values: "an id, `key_…`",
      meaning: "The id of the API key that Wyoming requests use. Set together with the port.",
    },
    LOQUAT_REUSE_PORT: {
      choices: SWITCH,
      fallback: "0",
      meaning:
        "`1`: a newer server may take over while this one still listens. See [stopping.md](stopping.md).",
    },
  },
  "Data and nodes": {
    LOQUAT_DATA: {
      values: "a directory",
      fallback: "./data",
      meaning:
        "The data directory. It holds the database, the first key, and mails where there is no mail server. One server uses it at a time.",
    },
    LOQUAT_CACHE: {
      values: "a directory",
      fallback: "~/.cache/loquat",
      meaning:
        "Where an executable unpacks its libraries. Without a home directory: below the directory for temporary files.",
    },
    LOQUAT_FILES: {
      values: "a directory, or `s3://bucket/prefix`",
      absent: "`files` in the data directory",
      meaning:
        "Where the contents of uploaded files are kept, encrypted. Nodes of one database use the same directory or bucket. See [files.md](files.md#storage).",
    },
    LOQUAT_FILE_MB: {
      range: [1, 1_000_000],
      fallback: "2048",
      meaning: "Megabytes that a file may have. Those that are sent by one request have 512 at most.",
    },
    LOQUAT_JOB_HOURS: {
      range: [1, 100],
      fallback: "12",
      meaning: "Hours that the recording of a [job](jobs.md) may last.",
    },
    AWS_ACCESS_KEY_ID: { values: "text", secret: true, meaning: "The key of the bucket of `LOQUAT_FILES`." },
    AWS_SECRET_ACCESS_KEY: { values: "text", secret: true, meaning: "The secret of that key." },
    AWS_SESSION_TOKEN: { values: "text", secret: true, meaning: "The token of a temporary key." },
    AWS_REGION: { values: "a name", fallback: "us-east-1", meaning: "The region of the bucket." },
    AWS_ENDPOINT_URL: {
      schemes: ["https:", "http:"],
      absent: "AWS",
      meaning: "The server of the bucket, where it is not AWS. For example `https://minio.example`.",
    },
    DATABASE_URL: {
      schemes: ["postgres:", "postgresql:"],
      secret: true,
      meaning:
        "PostgreSQL for accounts and the ledger, instead of SQLite. For example `postgres://user:password@host/database`.",
    },
    REDIS_URL: {
      values: "`redis://host`, or `redis+sentinel://host:26379,host:26379/name`",
      secret: true,
      meaning:
        "Redis, for limits that several nodes share. With sentinels: their addresses and the name of their primary. Without it, PostgreSQL counts limits, or the data directory of one server.",
    },
    LOQUAT_NODE: {
      values: "63 letters, digits, dots, hyphens and underscores at most",
      absent: "random",
      meaning:
        "The name of this node in logs and metrics. It is also in the response header `x-loquat-node`; each node of a database has another.",
    },
    LOQUAT_ROLE: {
      choices: ["api", "engine"],
      fallback: "api",
      meaning:
        "`engine`: this node runs engines for API nodes, and needs no database. See [engine-nodes.md](engine-nodes.md).",
    },
    LOQUAT_ENGINE_SECRET: {
      values: STRONG,
      secret: true,
      meaning: "The secret shared by API and engine nodes. It is the same on all of them.",
    },
    LOQUAT_ENGINES: {
      schemes: ["wss:", "ws:"],
      meaning:
        "Engine nodes that an API node connects to. For example `wss://gpu1:8080`; several are separated by commas.",
    },
    LOQUAT_JOIN: {
      schemes: ["wss:", "ws:"],
      meaning:
        "API nodes that an engine node connects to. For example `wss://api.example`; several are separated by commas.",
    },
    LOQUAT_ENGINE_CA: {
      values: "a PEM file",
      absent: "the system's",
      meaning: "Certificates to trust in connections between nodes, instead of the system's authorities.",
    },
  },
  "Stopping, logs, metrics and traces": {
    LOQUAT_DRAIN_SECONDS: {
      range: [0, 3600],
      fallback: "30",
      meaning:
        "Seconds that requests and live sessions may take to end when the server stops. See [stopping.md](stopping.md).",
    },
    LOQUAT_LAME_DUCK_SECONDS: {
      range: [0, 600],
      absent: "2, on a terminal 0",
      meaning:
        "Seconds of these in which a stopping server still takes requests. It is the time for load balancers and clients to go elsewhere.",
    },
    NOTIFY_SOCKET: {
      values: "a socket",
      meaning:
        "systemd's own: where it is told which process serves. A unit with `Type=notify` sets it; the server writes again after a handover.",
    },
    SYSTEMD_EXEC_PID: { values: "a process", meaning: "systemd's own: the first process of the unit." },
    LOG_LEVEL: {
      choices: LEVELS,
      fallback: "info",
      meaning: "The least level that is logged. Logs go to standard error, one event a line.",
    },
    LOG_FORMAT: {
      choices: LOG_FORMATS,
      absent: "text on a terminal, json elsewhere",
      meaning: "How events are written.",
    },
    LOG_REQUESTS: {
      choices: REQUEST_LINES,
      fallback: "all",
      meaning:
        "Which audio requests have a line in the log. `slow`: those that failed or sent nothing for two seconds.",
    },
    LOQUAT_AUDIT_LOG: {
      choices: ["0", "1"],
      fallback: "0",
      meaning:
        "With `1`, each change of the audit log is a line of the log, too: the event `audit`. See [organization-api.md](organization-api.md#audit-log).",
    },
    LOQUAT_METRICS_PORT: {
      range: PORTS,
      meaning:
        "The port of `/metrics`, instead of the server's own. It listens on `HOST`. See [monitoring.md](monitoring.md#metrics).",
    },
    LOQUAT_METRICS_TOKEN: {
      values: STRONG,
      secret: true,
      meaning: "The bearer token of `/metrics`; without it, private networks may read them.",
    },
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      schemes: ["http:", "https:"],
      meaning:
        "A collector of OpenTelemetry that gets traces. For example `http://localhost:4318`. See [monitoring.md](monitoring.md#traces).",
    },
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
      schemes: ["http:", "https:"],
      meaning: "The same, with the path of traces. Nothing is appended to it.",
    },
    OTEL_TRACES_EXPORTER: {
      values: "text",
      fallback: "otlp",
      meaning: "`none`: no traces, although a collector is set.",
    },
    OTEL_SDK_DISABLED: {
      values: "text",
      fallback: "false",
      meaning: "`true`: no traces, although a collector is set.",
    },
  },
} as const;
