/** Routes of operators: the server's status, and what is done to a node. */
import Type from "typebox";
import { Flag, nullable, Text, Whole } from "./records.ts";
import type { Routes } from "./route.ts";
import { RequestRecord } from "./usage-records.ts";

/** `age_ms`: how long ago it was seen. `skew_ms`: by how much its clock is ahead of the database's. */
const Node = Type.Object({
  id: Text,
  address: Text,
  version: Text,
  runtime: Text,
  uptime_seconds: Whole,
  age_ms: Type.Number(),
  skew_ms: Type.Number(),
  draining: Type.Boolean(),
  memory_bytes: Whole,
  threads: Whole,
  devices: Type.Array(Text),
  packages: Whole,
  live_sessions: Whole,
  running: Whole,
  waiting: Whole,
});

/** `instance`: another one for each of its processes. `nodes`: those that are connected with it. `engines`: how many it has. */
const EngineNode = Type.Object({
  id: Text,
  instance: Text,
  version: Text,
  draining: Type.Boolean(),
  engines: Whole,
  running: Whole,
  waiting: Whole,
  nodes: Type.Array(Text),
});

/** Requests by outcome, the wait for the first audio or text of those that had any, and the most live sessions at once. */
const Minute = Type.Object({
  start: Whole,
  succeeded: Whole,
  refused: Whole,
  failed: Whole,
  p50_ms: nullable(Whole),
  p95_ms: nullable(Whole),
  sessions: Whole,
});

/** `is_fixed`: the environment says it. */
const WyomingRecord = Type.Object({
  object: Type.Literal("wyoming"),
  port: nullable(Whole),
  key_id: nullable(Text),
  is_fixed: Flag,
});

const Bytes = nullable(Whole);
/** From 0 to 1; null: unknown. */
const Part = nullable(Type.Number());

const Gpu = Type.Object({
  name: Text,
  use: Part,
  memory_used_bytes: Bytes,
  memory_total_bytes: Bytes,
});

/** Parts of the processors are of all together. `disk`: that of the data folder. `gpus` null: none is known. */
const MachineNow = Type.Object({
  cores: Whole,
  cpu: Part,
  process_cpu: Part,
  memory_used_bytes: Whole,
  memory_total_bytes: Whole,
  process_memory_bytes: Whole,
  disk: nullable(Type.Object({ free_bytes: Whole, total_bytes: Whole })),
  gpus: nullable(Type.Array(Gpu)),
});

/** Means of the minute, but the least free space of the disk, and the most running and waiting tasks. GPUs are added up. */
const MachineMinute = Type.Object({
  start: Whole,
  cpu: Part,
  process_cpu: Part,
  memory_used_bytes: Bytes,
  process_memory_bytes: Bytes,
  disk_free_bytes: Bytes,
  gpu_use: Part,
  gpu_memory_used_bytes: Bytes,
  running: nullable(Whole),
  waiting: nullable(Whole),
});

/** `now` null: the version of the node does not report it. `waiting`, `running`: tasks of its engines now. */
const Machine = Type.Object({
  id: Text,
  running: Whole,
  waiting: Whole,
  now: nullable(MachineNow),
  minutes: Type.Array(MachineMinute),
});

export const statusRoutes = {
  "GET /api/operator/status": {
    summary: "Get version, memory, engines, queues, counters and recent errors",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("status"),
      version: Text,
      runtime: Text,
      uptime_seconds: Whole,
      memory_bytes: Whole,
      database: Type.Enum(["sqlite", "postgres"]),
      limits: Type.Enum(["memory", "redis", "postgres"]),
      models: Type.Array(Type.Object({ id: Text, version: nullable(Text) })),
      engines: Type.Array(
        Type.Object({ name: Text, running: Whole, waiting: Whole, loaded: Type.Boolean() }),
      ),
      counters: Type.Record(Text, Type.Number()),
      errors: Type.Array(Type.Object({ ...RequestRecord.properties, organization_name: nullable(Text) })),
      /** All nodes that share the database. Engines and counters are theirs together, the rest is of the one that answers. */
      nodes: Type.Array(Node),
      engine_nodes: Type.Array(EngineNode),
    }),
  },
  "POST /api/operator/backup": {
    summary:
      "Download a backup of a server on SQLite, of the node that answers: everything but weights and files, with secrets",
    needs: "operator",
    confirms: true,
    download: "archive",
  },
  "POST /api/operator/unload": {
    summary:
      "Unload an engine of the node that answers, unless it had a task in the last minute; it loads again on its next one",
    needs: "operator",
    body: Type.Object({ engine: Type.String({ minLength: 1, maxLength: 256 }) }),
    reply: Type.Object({ object: Type.Literal("unload"), unloaded: Type.Boolean() }),
  },
  "GET /api/operator/wyoming": {
    summary: "Get whether the port of Wyoming is open on the node that answers",
    needs: "operator",
    reply: WyomingRecord,
  },
  "PUT /api/operator/wyoming": {
    summary:
      "Open the port of Wyoming on the node that answers, now and after restarts; its requests use the key",
    needs: "operator",
    confirms: true,
    body: Type.Object({
      port: Type.Integer({ minimum: 1, maximum: 65_535 }),
      key_id: Type.String({ minLength: 1, maxLength: 64 }),
    }),
    reply: WyomingRecord,
  },
  "DELETE /api/operator/wyoming": {
    summary: "Close the port of Wyoming on the node that answers",
    needs: "operator",
    reply: WyomingRecord,
  },
  "GET /api/operator/machines": {
    summary:
      "Get the processors, memory, disk, GPUs and tasks of each node now, and in the last hour a minute at a time as the node that answers has seen them",
    needs: "operator",
    reply: Type.Object({ object: Type.Literal("machines"), data: Type.Array(Machine) }),
  },
  "GET /api/operator/activity": {
    summary: "Get what all nodes served in the last hour, a minute at a time",
    needs: "operator",
    reply: Type.Object({ object: Type.Literal("activity"), data: Type.Array(Minute) }),
  },
} as const satisfies Routes;
