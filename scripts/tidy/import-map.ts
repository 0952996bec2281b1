/** Who may import whom: the one table of the house, which the tidy test checks and docs/architecture.md is drawn from. */
import { WEB_REACHES } from "./web-import-map.ts";

/**
 * A folder of src, and the folders that it may import, beside its files. What every folder may import is in `SHARED`; what
 * is not named imports nothing else.
 */
const MAP = `
  api/v1: accounts, api/middleware, api/middleware/body, api/openapi, api/v1/conversation, api/v1/realtime, api/v1/voices, audio, engine,
      engine/media, ledger, limits, metered, models, realtime, speech, speech/script, speech/words, transcription,
      transcription/speakers, usage, voices
  api/v1/voices: audit, api/middleware, api/middleware/body, api/openapi, audio, engine, engine/media, memory, models, usage,
      voices
  api/v1/webhooks: accounts, audit, api/middleware, api/middleware/body, api/openapi, api/v1/organization, db/queries, events,
      limits, webhooks
  api/v1/files: accounts, api/middleware, api/middleware/body, api/openapi, api/v1/organization, db/queries, files, limits
  api/v1/batches: accounts, api/middleware, api/middleware/body, api/v1, api/v1/jobs, api/v1/organization, batches, db/queries, engine,
      models, jobs
  api/v1/jobs: accounts, api/middleware, api/middleware/body, api/openapi, api/v1, api/v1/organization, audio, db/queries, documents,
      engine, engine/families, files, jobs, limits, memory, metered, models, net, speech, speech/script, transcription, usage,
      voices
  api/v1/organization: accounts, alerts, audit, api/middleware, api/middleware/body, api/management/schema, api/openapi, api/requests,
      identity, db/queries, ledger, ledger/booking, limits
  api/sockets: accounts, api/middleware, engine, memory
  api/v1/realtime: accounts, api/middleware, api/middleware/body, api/sockets, engine, engine/protocol, memory, metered, models, realtime,
      transcription, usage
  api/v1/conversation: accounts, api/middleware, api/sockets, api/v1/realtime, engine/protocol, metered, models, realtime,
      realtime/dialogue, usage, voices
  api/dialects: accounts, api/middleware, api/middleware/body, api/sockets, api/v1/realtime, audio, engine,
      engine/protocol, ledger, limits, memory, metered, models, net, realtime, speech/script, speech/text, transcription,
      usage, voices
  api/dialects/deepgram: accounts, api/dialects, api/middleware, api/middleware/body, api/sockets, api/v1/realtime,
      audio, engine/protocol, metered, models, realtime, transcription, voices
  api/dialects/elevenlabs: accounts, audit, api/dialects, api/middleware, api/middleware/body, api/sockets, api/v1/realtime,
      api/v1/voices, audio, engine/protocol, ledger, limits, memory, metered, models, realtime, speech/words,
      transcription, transcription/speakers, voices
  api/dialects/jambonz: accounts, api/dialects, api/middleware, api/middleware/body, api/sockets, api/v1/realtime, audio,
      engine/protocol, metered, models, realtime, speech/script, transcription
  api/dialects/mcp: api/dialects, api/middleware, api/middleware/body, audio, engine, memory, metered, models,
      transcription, voices
  api/management: accounts, audit, api/management/handlers, api/management/schema, api/middleware, api/middleware/body,
      api/openapi, billing, identity, identity/routes
  api/management/handlers: accounts, alerts, audit, api/management/schema, api/middleware, api/requests, billing, cluster, engine, events, files, identity, jobs,
      ledger, ledger/booking, limits, models, models/packages, models/pull, models/store, pronunciations, speech/script,
      transcription, upstreams, usage, voices, webhooks
  api/management/schema:
  api/requests: accounts, api/middleware, ledger, usage
  api/openapi: api/middleware
  api/middleware: accounts, api/middleware/body, engine, memory, metered, usage
  api/middleware/body: memory, metered
  api/docs: api/middleware, api/openapi, api/pages
  api/pages: api/middleware, api/openapi, models
  metered: audio, engine, engine/media, engine/protocol, engine/speed, memory, models, speech, speech/script, speech/words, transcription, transcription/speakers, usage,
      voices
  wyoming: accounts, api/middleware, audio, engine, engine/media, memory, metered, models, speech, speech/script, speech/text,
      transcription, usage, voices
  upstreams: audio, db, db/queries, engine, engine/protocol, models, models/packages, models/store, speech,
      transcription, upstreams/chat, upstreams/dialects, upstreams/live, upstreams/transport
  upstreams/chat: engine/answers, engine/protocol, memory, upstreams/dialects, upstreams/transport
  upstreams/dialects: audio, audio/reading, audio/resample, engine/answers, engine/protocol, upstreams/transport
  upstreams/live: audio, audio/resample, engine/answers, engine/protocol, upstreams/dialects, upstreams/transport
  upstreams/transport: engine, engine/answers
  engine-nodes: engine, engine/families, engine/remote, models/packages, models/store
  realtime: audio, engine, engine/protocol, transcription
  realtime/dialogue: engine/protocol, realtime, speech/text, transcription
  speech: audio, audio/resample, engine, engine/families, engine/media, engine/protocol, engine/speed, memory, models, speech/script,
      speech/text, speech/words
  speech/words: audio, engine/protocol, speech/script, speech/text
  speech/script: engine/protocol, speech/text, speech/text/values
  speech/text: engine/protocol, speech/text/english, speech/text/lexicon, speech/text/markup
  speech/text/english: speech/text/amounts, speech/text/lexicon
  speech/text/amounts: speech/text/lexicon
  speech/text/values: speech/text/amounts, speech/text/english, speech/text/lexicon
  speech/text/lexicon:
  speech/text/markup:
  transcription: audio, audio/reading, audio/resample, engine, engine/media, engine/protocol, models
  transcription/speakers: audio, engine, engine/protocol, transcription
  transcription/long: audio, engine, engine/protocol, transcription
  usage: accounts, audit, events, ledger, ledger/booking, limits
  backup: db, models/store
  deletion: accounts, billing, db, work
  billing: audit, db, db/queries, events, ledger, ledger/booking, work
  identity: accounts, audit, db, db/queries, identity/company, identity/routes, work
  identity/company: accounts, db, identity/routes
  identity/routes: accounts
  accounts: audit, db, db/queries
  alerts: audit, db, db/queries, events, ledger, ledger/booking, work
  audit: db, db/queries, events
  work: db, db/queries
  events: db, db/queries
  files: accounts, db, db/queries, ledger, limits
  documents: engine, engine/media
  jobs: accounts, audio, audio/m4b, db, db/queries, engine, engine/media, engine/protocol, events, files, ledger, ledger/booking, limits, memory,
      metered, net, speech, speech/script, speech/words, transcription, transcription/long, transcription/speakers, usage, voices,
      work
  batches: accounts, db, db/queries, events, files, jobs, transcription, work
  webhooks: audit, db, db/queries, events, limits, net, work
  voices: audio, audit, audio/reading, db, db/queries, engine, engine/media, engine/protocol, models
  pronunciations: audit, db, db/queries, speech/script
  ledger: db, db/postgres, db/queries, db/sqlite, ledger/booking
  ledger/booking: db, db/queries
  limits: db
  limits/advance: limits
  db: db/postgres, db/sqlite
  db/queries: db, db/postgres
  cluster: db/queries, engine, usage
  db/postgres: db/schema
  db/sqlite: db/schema
  db/schema:
  models: audio, engine/families, models/packages
  models/packages: engine/families
  models/local: engine/families, models, models/packages, models/signature, models/store, numpy, onnx
  models/pull: engine/families, models, models/packages, models/store, natives, onnx
  models/signature: engine/families, models, models/packages, onnx
  models/store: engine/families, models, models/packages, natives
  engine/media: audio, engine, engine/families
  engine/answers: audio, engine/protocol, engine/speed
  engine: audio, engine/gpu, engine/protocol, engine/queue, engine/speed, natives
  engine/queue:
  engine/families: engine/protocol, natives
  engine/gpu: natives
  natives:
  engine/remote: engine, engine/answers, engine/protocol, engine/queue
  engine/speed: audio, engine/protocol
  engine/protocol:
  engine/threads: engine, engine/protocol
  numpy:
  onnx:
  tls: natives
  net:
  audio: audio/resample
  audio/loudness: audio, audio/resample
  audio/m4b: audio
  audio/reading:
  audio/resample:
  memory:
`;

/** What every folder of src may import: the files beside main.ts, and what a process has one of. */
export const SHARED = ["src", "src/config", "src/log", "src/metrics", "src/tracing"];

const inSrc = (folder: string): string => `src/${folder.trim()}`;

/** The dashboard is one bundle for browsers: the pages on top, a folder a feature, what they are built from below. */
export const REACHES: Record<string, string[]> = {
  ...Object.fromEntries(
    MAP.trim()
      .split(/\n(?!\s{4})/)
      .map((line) => line.split(":"))
      .map(([folder = "", targets = ""]) => [
        inSrc(folder),
        targets.trim() === "" ? [] : targets.split(",").map(inSrc),
      ]),
  ),
  ...WEB_REACHES,
};

export const WORKERS_REACH = [
  "src/audio",
  "src/audio/m4b",
  "src/audio/reading",
  "src/audio/resample",
  "src/db/queries",
  "src/db",
  "src/documents",
  "src/engine",
  "src/engine/families",
  "src/engine/media",
  "src/engine/protocol",
  "src/engine/threads",
  "src/natives",
  "src/ledger",
  "src/ledger/booking",
  "src/numpy",
  "src/onnx",
  "src/speech",
  "src/speech/script",
  "src/speech/text",
  "src/speech/words",
  "src/transcription",
];

/** What sees everything below it, from the top. */
export const ROOTS = [
  "src/main.ts",
  "src/cli",
  "src/cli/commands",
  "src/cli/installation",
  "src/cli/service",
  "src/cli/upgrade",
  "src/cli/backup",
  "src/cli/conversation",
  "src/cli/speech",
  "src/cli/jobs",
  "src/cli/models",
  "src/cli/models/installed",
  "src/cli/upstream",
  "src/cli/completion",
  "src/cli/base",
  "src/server/engine-node",
  "src/server",
  "src/server/lifecycle",
  "src/server/monitoring",
  "src/server/engines",
];
