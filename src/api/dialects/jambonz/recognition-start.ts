/** The message `start`, which opens a recognition: the language, the audio that follows, and what jambonz's application wishes. */
import Type, { type Static } from "typebox";
import { parseJson } from "../../../bounded-json.ts";
import { invalidInput } from "../../../errors.ts";
import { languageHint } from "../../../language-tag.ts";
import { checker } from "../../../schema.ts";
import type { ClientMessage } from "../../v1/realtime/call-protocol.ts";
import { type LiveRequest, turnsAfter } from "../live-session.ts";
import { unsupported } from "../query.ts";

const nullable = <S extends Parameters<typeof Type.Optional>[0]>(schema: S) =>
  Type.Optional(Type.Union([schema, Type.Null()]));
const name = nullable(Type.String({ maxLength: 256 }));

const startMessage = checker(
  Type.Object({
    language: name,
    format: name,
    encoding: name,
    sampleRateHz: nullable(Type.Integer({ minimum: 8000, maximum: 48_000 })),
    interimResults: nullable(Type.Boolean()),
    options: nullable(
      Type.Object({
        hints: Type.Optional(Type.Unknown()),
        model: name,
        endpointing: nullable(Type.Number({ minimum: 0, maximum: 60_000 })),
      }),
    ),
  }),
);

export type RecognitionStart = { live: LiveRequest; language: string | null; interimResults: boolean };

const TELEPHONE_RATE = 8000;
const PAUSE_MS = 500;

/** `model`: as the address has it. */
export function readStart(message: ClientMessage, model: string | null): RecognitionStart {
  const { value, details } = startMessage.check(message);
  if (details !== null) throw invalidInput(details);
  requireValue("format", value.format, "raw");
  requireValue("encoding", value.encoding, "LINEAR16");
  const { options, interimResults } = value;
  const language = languageHint(value.language);
  return {
    language,
    interimResults: interimResults ?? false,
    live: {
      ...{ model: options?.model || model, language, languages: [] },
      keywords: hintsIn(options?.hints),
      format: { type: "audio/pcm", rate: value.sampleRateHz ?? TELEPHONE_RATE },
      turns: turnsAfter(options?.endpointing ?? PAUSE_MS),
    },
  };
}

function requireValue(field: string, given: string | null | undefined, accepted: string): void {
  if (!given || given.toLowerCase() === accepted.toLowerCase()) return;
  throw unsupported(field, `audio is sent as ${accepted}, not ${given.slice(0, 100)}.`);
}

const HINTS_MAX = 100;
const HINT_LENGTH_MAX = 100;

const hintList = checker(
  Type.Array(Type.Union([Type.String(), Type.Object({ phrase: Type.String() })]), { maxItems: 10_000 }),
);
type Hint = Static<typeof hintList.schema>[number];

/** A list of phrases, or of phrases with a boost each, which jambonz writes as JSON. The first hundred are used. */
function hintsIn(given: unknown): string[] {
  if (given === undefined || given === null || given === "") return [];
  const { value, details } = hintList.check(typeof given === "string" ? parseJson(given).value : given);
  if (details !== null)
    throw invalidInput([
      { field: "options.hints", code: "wrong_type", message: "must be a list of phrases, or JSON of one" },
    ]);
  return value
    .map((hint: Hint) => (typeof hint === "string" ? hint : hint.phrase).trim())
    .filter(({ length }) => length > 0 && length <= HINT_LENGTH_MAX)
    .slice(0, HINTS_MAX);
}
