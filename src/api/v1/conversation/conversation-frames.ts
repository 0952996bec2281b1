/** The client events of a conversation, validated. */
import Type, { type Static } from "typebox";
import { invalidInput } from "../../../errors.ts";
import type { AnswerSettings } from "../../../realtime/dialogue/dialogue-settings.ts";
import type { Content, Item, Place } from "../../../realtime/dialogue/items.ts";
import type { Output } from "../../../realtime/dialogue-effects.ts";
import { type Checker, checker } from "../../../schema.ts";
import { base64Of, invalid } from "../realtime/frames.ts";
import { nullable } from "../realtime/settings-schema.ts";
import {
  AnswerSchema,
  type ConversationUpdate,
  readAnswer,
  readConversationUpdate,
  unsupported,
} from "./conversation-schema.ts";

/** Only what a response has of its own. `input` null: the conversation. A string of it names an item. */
export type AskedResponse = {
  isInConversation: boolean;
  input: (Item | string)[] | null;
  metadata: Record<string, string> | null;
  settings: Partial<Omit<AnswerSettings, "output">> & { output?: Partial<Output> };
};

export type ConversationEvent =
  | { do: "append"; audio: string }
  | { do: "update"; update: ConversationUpdate }
  | { do: "commit" }
  | { do: "clear" }
  | { do: "nothing" }
  /** `sound` null: it brings no audio. */
  | { do: "create"; item: Item; place: Place; sound: Sound | null }
  | { do: "retrieve" | "delete"; itemId: string }
  | { do: "truncate"; itemId: string; audioEndMs: number }
  | { do: "respond"; asked: AskedResponse }
  | { do: "cancel"; responseId: string | null };

/** The audio of an item that is to be transcribed, as base64 in the session's format. `field`: where it stands in the event. */
export type Sound = { audio: string; field: string };

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Text = Type.String({ maxLength: 1024 * 1024 });

const Part = Type.Object({
  type: Type.String({ maxLength: 64 }),
  text: nullable(Text),
  transcript: nullable(Text),
  audio: Type.Optional(Type.Unknown()),
  image_url: nullable(Type.String()),
  detail: nullable(Type.Enum(["auto", "low", "high"])),
});

type SentPart = Static<typeof Part>;

const ItemSchema = Type.Object({
  id: nullable(Id),
  type: Type.String({ maxLength: 64 }),
  role: nullable(Type.Enum(["system", "user", "assistant"])),
  content: nullable(Type.Array(Part, { maxItems: 100 })),
  call_id: nullable(Type.String({ minLength: 1, maxLength: 256 })),
  name: nullable(Type.String({ minLength: 1, maxLength: 128 })),
  arguments: nullable(Text),
  output: nullable(Text),
});
type SentItem = Static<typeof ItemSchema>;

const itemEvent = checker(Type.Object({ item_id: Type.String({ maxLength: 512 }) }));
const truncateEvent = checker(
  Type.Object({
    item_id: Type.String({ maxLength: 512 }),
    content_index: Type.Integer({ minimum: 0, maximum: 0 }),
    audio_end_ms: Type.Number({ minimum: 0 }),
  }),
);
const createEvent = checker(
  Type.Object({ item: ItemSchema, previous_item_id: nullable(Type.String({ maxLength: 512 })) }),
);
const cancelEvent = checker(Type.Object({ response_id: nullable(Type.String({ maxLength: 512 })) }));

const Reference = Type.Object({ type: Type.Enum(["item_reference"]), id: Id });
const respondEvent = checker(
  Type.Object({
    response: nullable(
      Type.Object({
        ...AnswerSchema.properties,
        conversation: nullable(Type.Enum(["auto", "none"])),
        input: nullable(Type.Array(Type.Union([Reference, ItemSchema]), { maxItems: 2000 })),
        metadata: nullable(
          Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), { maxProperties: 16 }),
        ),
      }),
    ),
  }),
);

function checked<S extends Type.TSchema>({ check }: Checker<S>, event: object): Static<S> {
  const { value, details } = check(event);
  if (details !== null) throw invalidInput(details);
  return value;
}

/** `newId`: of an item that the client gives none. `sees`: whether the language model reads images. */
type Reader = { newId: () => string; sees: boolean };

export function readConversationEvent(
  event: Record<string, unknown> & { type: string },
  reader: Reader,
): ConversationEvent {
  switch (event.type) {
    case "input_audio_buffer.append":
      return { do: "append", audio: base64Of(event.audio) };
    case "session.update":
      return { do: "update", update: readConversationUpdate(event) };
    case "input_audio_buffer.commit":
      return { do: "commit" };
    case "input_audio_buffer.clear":
      return { do: "clear" };
    case "conversation.item.create":
      return createOf(event, reader);
    case "conversation.item.retrieve":
      return { do: "retrieve", itemId: checked(itemEvent, event).item_id };
    case "conversation.item.delete":
      return { do: "delete", itemId: checked(itemEvent, event).item_id };
    case "conversation.item.truncate": {
      const { item_id, audio_end_ms } = checked(truncateEvent, { content_index: 0, ...event });
      return { do: "truncate", itemId: item_id, audioEndMs: audio_end_ms };
    }
    case "response.create":
      return { do: "respond", asked: askedOf(event, reader) };
    case "response.cancel":
      return { do: "cancel", responseId: checked(cancelEvent, event).response_id ?? null };
    case "output_audio_buffer.clear":
      return { do: "nothing" };
    default:
      throw invalid(`Unknown event type ${event.type.slice(0, 100)}.`, "type");
  }
}

function createOf(event: object, reader: Reader): ConversationEvent {
  const { item, previous_item_id: previous } = checked(createEvent, event);
  const place: Place = previous == null ? {} : { after: previous === "root" ? null : previous };
  const [sound = null, another] = soundsOf(item);
  if (another)
    throw unsupported(another.field, "An item has one part with audio: create one for each recording.");
  return { do: "create", item: readItem(item, "item", reader), place, sound };
}

/** Of what a user says; other items have none. */
function soundsOf({ type, role, content }: SentItem): Sound[] {
  if (type !== "message" || (role ?? "user") !== "user") return [];
  return (content ?? []).flatMap((part, index) =>
    part.type === "input_audio" && typeof part.audio === "string"
      ? [{ audio: part.audio, field: `item.content.${index}.audio` }]
      : [],
  );
}

function askedOf(event: object, reader: Reader): AskedResponse {
  const { response } = checked(respondEvent, event);
  const { conversation, input, metadata, ...answer } = response ?? {};
  return {
    isInConversation: conversation !== "none",
    input:
      input?.map((each, index) =>
        "id" in each && each.type === "item_reference"
          ? each.id!
          : readItem(withoutAudio(each as SentItem, index), `response.input.${index}`, reader),
      ) ?? null,
    metadata: metadata ?? null,
    settings: readAnswer(named(answer), "response"),
  };
}

function withoutAudio(item: SentItem, index: number): SentItem {
  const [sound] = soundsOf(item);
  if (sound === undefined) return item;
  throw unsupported(
    `response.input.${index}.${sound.field.replace("item.", "")}`,
    "Audio is sent with input_audio_buffer.append, or with conversation.item.create, whose item input may name.",
  );
}

/** Null clears a setting of a session; in a response it names none. */
const named = <T extends object>(answer: T): T =>
  Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== null)) as T;

/** `path`: where the item stands in the event. */
function readItem(item: SentItem, path: string, reader: Reader): Item {
  const common = { id: item.id ?? reader.newId(), object: "realtime.item", status: "completed" } as const;
  if (item.type === "message") {
    const role = item.role ?? "user";
    const content = (item.content ?? []).map((part, index) =>
      readPart(part, role, { path: `${path}.content.${index}`, sees: reader.sees }),
    );
    return { ...common, type: "message", role, content };
  }
  if (item.type === "function_call")
    return {
      ...common,
      type: "function_call",
      call_id: item.call_id ?? common.id.slice(0, 32),
      name: required(item.name, `${path}.name`),
      arguments: required(item.arguments, `${path}.arguments`),
    };
  if (item.type === "function_call_output")
    return {
      ...common,
      type: "function_call_output",
      call_id: required(item.call_id, `${path}.call_id`),
      output: required(item.output, `${path}.output`),
    };
  throw unsupported(`${path}.type`, `Items of the type ${item.type} are not supported.`);
}

type Role = "system" | "user" | "assistant";

/** Beta clients name the parts of answers `text` and `audio`; Pipecat names them as those of the user. */
function readPart(part: SentPart, role: Role, { path, sees }: { path: string; sees: boolean }): Content {
  const { type } = part;
  if (role === "assistant") {
    if (type === "output_text" || type === "text" || type === "input_text")
      return { type: "output_text", text: required(part.text, `${path}.text`) };
    if ((type === "output_audio" || type === "audio") && part.audio == null)
      return { type: "output_audio", transcript: required(part.transcript, `${path}.transcript`) };
    throw unsupported(`${path}.type`, "An answer is created of text, or of the transcript of its audio.");
  }
  if (type === "input_text" || type === "text")
    return { type: "input_text", text: required(part.text, `${path}.text`) };
  if (type === "input_image" && role === "user") {
    if (sees) return imageOf(part, path);
    throw unsupported(`${path}.type`, "The language model of this conversation reads no images.");
  }
  if (type === "input_audio" && role === "user") {
    const { audio = null, transcript = null } = part;
    if (audio !== null && typeof audio !== "string")
      throw invalidInput([
        { field: `${path}.audio`, code: "wrong_type", message: "must be a string of base64" },
      ]);
    if (audio !== null) return { type: "input_audio", transcript: null };
    return { type: "input_audio", transcript: required(transcript, `${path}.audio`) };
  }
  throw unsupported(`${path}.type`, `Parts of the type ${type} are not supported here.`);
}

const IMAGE_MAX_BYTES = 8 * 1024 * 1024;
const IMAGE = /^data:image\/(?:png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

function imageOf({ image_url, detail }: SentPart, path: string): Content {
  const url = required(image_url, `${path}.image_url`);
  if (!IMAGE.test(url))
    throw unsupported(
      `${path}.image_url`,
      "Images are data: URIs of png, jpeg or webp; no address is fetched.",
    );
  if ((url.length * 3) / 4 > IMAGE_MAX_BYTES + 64)
    throw invalidInput([
      { field: `${path}.image_url`, code: "too_long", message: "is an image of more than 8 MiB" },
    ]);
  return { type: "input_image", image_url: url, detail: detail ?? "auto" };
}

function required<T>(value: T | null | undefined, field: string): T {
  if (value != null) return value;
  throw invalidInput([{ field, code: "required", message: "is required" }]);
}
