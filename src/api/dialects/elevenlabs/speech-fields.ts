/**
 * What a request for speech of ElevenLabs says, in its body and its query, and what of it is refused. What would change
 * what is heard, and cannot be done, is refused; what has no effect is named in the answer.
 */
import Type, { type Static, type TSchema } from "typebox";
import type { ClipFormat } from "../../../audio/formats.ts";
import { invalidInput, Refusal } from "../../../errors.ts";
import { isLanguageTag, languageHint } from "../../../language-tag.ts";
import { checker } from "../../../schema.ts";
import { checkText } from "../dialect-speech.ts";
import { DEFAULT_FORMAT, outputFormat } from "./output-format.ts";

export const nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));
const name = nullable(Type.String({ maxLength: 256 }));

/** `locators`: of pronunciation dictionaries. */
export const VOICE_FIELDS = {
  voice_settings: nullable(Type.Object({ speed: nullable(Type.Number({ minimum: 0.25, maximum: 4 })) })),
  pronunciation_dictionary_locators: nullable(Type.Array(Type.Unknown(), { maxItems: 100 })),
};

const SpeechBody = Type.Object({
  text: Type.String({ maxLength: 100_000 }),
  model_id: name,
  language_code: name,
  ...VOICE_FIELDS,
});
const speechBody = checker(SpeechBody);

/** `model` null: none is named. */
export type SpeechBody = {
  text: string;
  model: string | null;
  language: string | null;
  speed: number;
  format: ClipFormat;
  ignored: string[];
};

const USED_QUERY = ["output_format"];

export function readSpeechBody(body: unknown, query: URLSearchParams): SpeechBody {
  const { value, details } = speechBody.check(body);
  if (details !== null) throw invalidInput(details);
  checkText(value.text);
  const given = Object.entries(value).filter(([, each]) => each !== null);
  return {
    text: value.text,
    model: value.model_id || null,
    language: languageOf(value.language_code),
    speed: speedOf(value),
    format: outputFormat(query.get("output_format") || DEFAULT_FORMAT),
    ignored: [
      ...given.map(([field]) => field).filter((field) => !Object.hasOwn(SpeechBody.properties, field)),
      ...ignoredSettings(value),
      ...[...query.keys()].filter((field) => !USED_QUERY.includes(field)),
    ],
  };
}

/** Null: the voice's own. */
export function languageOf(code: string | null | undefined): string | null {
  const hint = languageHint(code);
  return hint !== null && isLanguageTag(hint) ? hint : null;
}

type VoiceFields = Partial<Pick<Static<typeof SpeechBody>, keyof typeof VOICE_FIELDS>>;

/** Refuses dictionaries: the organization's own is used in every request. */
export function speedOf({
  voice_settings: settings,
  pronunciation_dictionary_locators: locators,
}: VoiceFields): number {
  if (locators && locators.length > 0)
    throw new Refusal(
      "unsupported_parameter",
      "Dictionaries are not named in requests here: the dictionary of your organization is used in all of them. Leave out pronunciation_dictionary_locators.",
      { param: "pronunciation_dictionary_locators" },
    );
  return settings?.speed ?? 1;
}

const ignoredSettings = ({ voice_settings: settings }: VoiceFields): string[] =>
  Object.entries(settings ?? {}).flatMap(([field, each]) =>
    field === "speed" || each === null ? [] : [`voice_settings.${field}`],
  );
