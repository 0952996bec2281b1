/**
 * A conversation that callers name: the language model that answers, how it listens and speaks, its texts, and how it is
 * interrupted. It is a row of the database. A part that is null is the server's first. Pure.
 */
import Type, { type Static } from "typebox";
import { type Detail, invalidInput, Refusal } from "../errors.ts";
import { checker } from "../schema.ts";
import { aliasName } from "./aliases.ts";
import { type Catalogue, isTts } from "./catalogue.ts";
import { chooseRealtime, chooseSpeech } from "./choose.ts";

const Part = Type.Union([Type.String({ minLength: 1, maxLength: 256 }), Type.Null()]);

export const SPECULATIONS = ["auto", "on", "off"] as const;

/** How answers are interrupted, as operators and clients set it. */
export const interruptionFields = {
  /** How long a caller must speak to interrupt. */
  interruption_ms: Type.Integer({ minimum: 0, maximum: 2000 }),
  /** Whether “mm-hm” and the like do not interrupt. */
  backchannels: Type.Boolean(),
  /** Whether an answer goes on that was interrupted by no word. */
  resume: Type.Boolean(),
};

const conversationSchema = checker(
  Type.Object(
    {
      name: Type.String({ pattern: "^[a-z0-9][a-z0-9._-]*$", maxLength: 64 }),
      llm: Part,
      /** It listens live. */
      stt: Part,
      tts: Part,
      voice: Part,
      instructions: Type.String({ maxLength: 100_000 }),
      /** Spoken first, without the language model. */
      greeting: Type.Union([Type.String({ minLength: 1, maxLength: 2000 }), Type.Null()]),
      /** What an answer may have at most, whatever clients ask for; null: what they ask for. */
      max_output_tokens: Type.Union([Type.Integer({ minimum: 1, maximum: 100_000 }), Type.Null()]),
      ...interruptionFields,
      /** Whether the model is asked before it is certain that the caller has finished; `auto`: where that is free. */
      speculate: Type.Enum([...SPECULATIONS]),
    },
    { additionalProperties: false },
  ),
);

export type Conversation = Static<typeof conversationSchema.schema>;
/** One conversation stands for the names that other APIs give to models that converse. */
export type ListedConversation = Conversation & { isDefault: boolean };

const DEFAULT_CONVERSATION: Conversation = {
  ...{ name: "assistant", llm: null, stt: null, tts: null, voice: null },
  ...{ instructions: "You are a helpful assistant.", greeting: null, max_output_tokens: null },
  ...{ interruption_ms: 240, backchannels: false, resume: true, speculate: "auto" },
};

/** What a definition leaves out is as in `DEFAULT_CONVERSATION`. Throws a refusal that names what is wrong with its form. */
export function conversationFrom(definition: object): Conversation {
  if (!Object.hasOwn(definition, "name"))
    throw invalidInput([{ field: "name", code: "required", message: "is required" }]);
  const { value, details } = conversationSchema.check({ ...DEFAULT_CONVERSATION, ...definition });
  if (details !== null) throw invalidInput(details);
  return value;
}

/** Where none is defined there is one, of the server's first models. */
export const conversationsOf = (
  defined: readonly ListedConversation[],
): readonly [ListedConversation, ...ListedConversation[]] => {
  const [first, ...others] = defined;
  return first ? [first, ...others] : [{ ...DEFAULT_CONVERSATION, isDefault: true }];
};

/** `isOfOthers`: other APIs give the name to models that converse. Null: it names no conversation. */
export function conversationNamed(
  defined: readonly ListedConversation[],
  { name, isOfOthers }: { name: string; isOfOthers: boolean },
): Conversation | null {
  const all = conversationsOf(defined);
  const named = all.find((each) => each.name === aliasName(name));
  if (named || !isOfOthers) return named ?? null;
  return all.find(({ isDefault }) => isDefault) ?? all[0];
}

/** The model that it speaks with. Null: none is installed. */
export function speakingModel(
  { entries }: Pick<Catalogue, "entries">,
  { tts, voice }: Pick<Conversation, "tts" | "voice">,
): string | null {
  const installed = entries.filter(isTts).filter(({ version }) => version !== null);
  const able = installed.find(({ version }) => version!.voices.some(({ id }) => id === voice));
  return tts ?? (able ?? installed[0])?.id ?? null;
}

const fault = (field: string, message: string): Detail => ({ field, code: "malformed", message });

/** What conversations may name. `theirs`: how its server names a language model. */
export type Parts = { catalogue: Catalogue; languageModels: () => { id: string; theirs: string }[] };

/** Its language model by the id, where it is named as its server names it: ids are plainer. */
export function withModelId(conversation: Conversation, { languageModels }: Parts): Conversation {
  const { llm } = conversation;
  const known = languageModels();
  const named = known.find(({ id }) => id === llm) ?? known.find(({ theirs }) => theirs === llm);
  return named ? { ...conversation, llm: named.id } : conversation;
}

/** One for each part that this server does not have. */
export function partFaults(conversation: Conversation, { catalogue, languageModels }: Parts): Detail[] {
  const { name, llm, stt, voice } = conversation;
  const faults: Detail[] = [];
  if (catalogue.find(name)) faults.push(fault("name", "is the name of a model already"));
  const known = languageModels().map(({ id }) => id);
  if (llm !== null && !known.includes(llm))
    faults.push(fault("llm", `is ${llm}. Language models: ${known.join(", ") || "none"}`));
  if (stt !== null)
    faults.push(
      ...refusedPart(["stt"], () =>
        chooseRealtime(catalogue, { model: stt, language: null, transcribes: true }),
      ),
    );
  const model = speakingModel(catalogue, conversation);
  if (model === null) return faults;
  const first = catalogue.find(model)?.manifest;
  const spoken = voice ?? (first?.type === "tts" ? first.voices[0]?.id : undefined) ?? "";
  const speech = { model, voice: spoken, format: "pcm", speed: 1, streaming: false };
  return [...faults, ...refusedPart(["voice", "tts"], () => chooseSpeech(catalogue, speech))];
}

/** `fields`: what a refusal of its first parameter means, and of any other. */
function refusedPart([field, other = field]: [string, string?], choose: () => unknown): Detail[] {
  try {
    choose();
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [
      fault(error.param === field ? field : other, `cannot be used: ${error.message.replace(/\.$/, "")}`),
    ];
  }
}
