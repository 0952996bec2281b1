/**
 * What an API node and an engine node send each other over their one WebSocket, whichever of them opened it.
 *
 *   text frames    one message each, JSON
 *   binary frames  uint32 (little-endian) id of a task, then samples: the bytes that a message with that id announced
 *
 *   both     hello                              first, and once
 *   API      task + samples, cancel, beat
 *   engine   offer, load (the engine's beat), begun, hypothesis, early + samples, result + samples, failed
 *
 * Ids are the API node's, from 1 on, each used for one task. Samples of several messages with one id arrive in their order.
 */
import Type, { type Static } from "typebox";
import { CODES } from "../../error-codes.ts";
import { checker } from "../../schema.ts";
import { URGENCIES } from "../queue/engine-tasks.ts";
import { TASK_BYTES_MAX } from "../queue/waiting-room.ts";

/** Nodes with another one refuse each other by name. Changes with every message that an older node would not understand. */
export const PROTOCOL = 4;

/** Where a node accepts connections, below its address. */
export const ENGINES_PATH = "/engines";

/** The longest text frame, in characters: an offer of a few hundred packages. */
export const TEXT_MAX = 1024 * 1024;
/** The longest binary frame, and what all frames of one message may hold: 16 minutes of audio at 16 kHz. */
export const FRAME_BYTES_MAX = 64 * 1024;
export const BODY_BYTES_MAX = TASK_BYTES_MAX;
/** A message with its frames. */
export const MESSAGE_BYTES_MAX = BODY_BYTES_MAX + TEXT_MAX;

const Name = Type.String({ minLength: 1, maxLength: 200 });
const Text = Type.String({ maxLength: 10_000 });
const Id = Type.Integer({ minimum: 1, maximum: 0xffff_ffff });
const Count = Type.Integer({ minimum: 0, maximum: 1_000_000 });

/** Plain data without its samples, and where in it they belong: paths, and their numbers of samples. */
const WireData = Type.Object({
  value: Type.Unknown(),
  samples: Type.Array(
    Type.Object({
      path: Type.Array(Type.Union([Type.String(), Type.Integer({ minimum: 0 })]), { maxItems: 8 }),
      length: Type.Integer({ minimum: 0, maximum: BODY_BYTES_MAX / Float32Array.BYTES_PER_ELEMENT }),
    }),
    { maxItems: 10_000 },
  ),
});

/** `node`: its name for logs. `instance`: another one for each process. */
const Hello = Type.Object({
  type: Type.Literal("hello"),
  protocol: Type.Integer(),
  role: Type.Enum(["api", "engine"]),
  version: Text,
  node: Name,
  instance: Name,
});

/**
 * An engine that a node has. `identity`: equal where package, version and variant are. `family`: of its package, with the
 * package's manifest as JSON; both null for an embedded one. `size`: how many tasks it works on at once.
 */
const Offer = Type.Object({
  name: Name,
  identity: Name,
  manifest: Type.Union([Type.String({ maxLength: TEXT_MAX }), Type.Null()]),
  stateful: Type.Boolean(),
  size: Type.Integer({ minimum: 1, maximum: 100_000 }),
});

const Failure = Type.Object({
  /** Null: not a refusal, but an error of the engine. */
  code: Type.Union([Type.Enum([...CODES]), Type.Null()]),
  message: Text,
  /** The field of the request that it is about. */
  param: Type.Optional(Name),
  retryAfterSeconds: Type.Union([Type.Integer({ minimum: 1, maximum: 3600 }), Type.Null()]),
  /** Whether the engine may have begun with it. */
  begun: Type.Boolean(),
});

const Claim = Type.Object({
  urgency: Type.Enum([...URGENCIES]),
  organization: Text,
  request: Text,
  dueInMs: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400_000 })),
});

const FROM_API = Type.Union([
  Hello,
  Type.Object({
    type: Type.Literal("task"),
    id: Id,
    engine: Name,
    identity: Name,
    claim: Claim,
    data: WireData,
    /** It may return samples while it runs. */
    early: Type.Optional(Type.Boolean()),
  }),
  Type.Object({ type: Type.Literal("cancel"), id: Id }),
  Type.Object({ type: Type.Literal("beat") }),
]);

const FROM_ENGINE = Type.Union([
  Hello,
  Type.Object({ type: Type.Literal("offer"), engines: Type.Array(Offer, { maxItems: 1000 }) }),
  Type.Object({
    type: Type.Literal("load"),
    engines: Type.Array(Type.Object({ name: Name, running: Count, waiting: Count }), { maxItems: 1000 }),
    draining: Type.Boolean(),
  }),
  /** It waits no longer: it is worked on. */
  Type.Object({ type: Type.Literal("begun"), id: Id }),
  Type.Object({ type: Type.Literal("hypothesis"), id: Id, value: Type.Unknown() }),
  Type.Object({ type: Type.Literal("early"), id: Id, data: WireData }),
  Type.Object({ type: Type.Literal("result"), id: Id, data: WireData }),
  Type.Object({ type: Type.Literal("failed"), id: Id, failure: Failure }),
]);

export type Hello = Static<typeof Hello>;
export type Offer = Static<typeof Offer>;
export type Failure = Static<typeof Failure>;
export type WireData = Static<typeof WireData>;
export type FromApi = Static<typeof FROM_API>;
export type FromEngine = Static<typeof FROM_ENGINE>;
export type Message = FromApi | FromEngine;
export type TaskMessage = Extract<FromApi, { type: "task" }>;
export type LoadMessage = Extract<FromEngine, { type: "load" }>;

export const fromApi = checker(FROM_API);
export const fromEngine = checker(FROM_ENGINE);

/** The bytes that binary frames bring after a message. */
export const bytesOf = (message: Message): number =>
  "data" in message
    ? message.data.samples.reduce((sum, { length }) => sum + length, 0) * Float32Array.BYTES_PER_ELEMENT
    : 0;
