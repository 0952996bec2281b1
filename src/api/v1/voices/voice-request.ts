/** The fields of a new voice or consent: what clients may send, how they read, and what of it is refused. */
import Type from "typebox";
import { type Detail, invalidInput, Refusal } from "../../../errors.ts";
import { isLanguageTag, languageHint } from "../../../language-tag.ts";
import { isBlend } from "../../../models/blend.ts";
import { checker } from "../../../schema.ts";
import { type Reference, STATEMENT } from "../../../voices/reference.ts";
import { fieldsOf } from "../../middleware/body/form.ts";
import type { VoiceForm } from "./voice-form.ts";

const VoiceName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: "For people: one line.",
});
const ModelName = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 256,
    description: "A TTS model id; the best that can, when absent.",
  }),
);

const LANGUAGE_MAX = 256;

const Fields = Type.Object({
  type: Type.Optional(
    Type.Enum(["audio_sample"], { description: "How the voice is made; may be left out." }),
  ),
  name: VoiceName,
  model: ModelName,
  language: Type.Optional(
    Type.String({ maxLength: LANGUAGE_MAX, description: "What the voice will mostly speak, as a tag." }),
  ),
});
const fields = checker(Fields);

const Binary = Type.String({ format: "binary" });

/** For the OpenAPI document. */
export const VoiceFormDocument = Type.Object({
  ...Fields.properties,
  audio_sample: Type.Unsafe({
    ...Binary,
    description: "The recording, of 3 to 30 seconds. It may also be named recording or file.",
  }),
  consent: Type.Union([Binary, Type.String({ minLength: STATEMENT.min, maxLength: STATEMENT.max })], {
    description:
      "That the speaker agrees: the id of a consent, a recording of 1 to 30 seconds, or a statement in writing. It is kept with the voice.",
  }),
});

/** A consent that was stored before is named by its id. */
export type GivenConsent = Exclude<Reference["consent"], { kind: "stored" }> | { kind: "id"; id: string };

type RecordedVoiceRequest = Pick<Reference, "recording"> & {
  consent: GivenConsent;
  name: string;
  model: string | null;
  language: string | null;
};

export function parseVoiceForm({ files, text }: VoiceForm): RecordedVoiceRequest {
  if (text.get("type")?.at(-1) === "prompt") throw noPrompts();
  const kinds = { type: "text", name: "text", model: "text", language: "text" } as const;
  const { value, details } = fields.check(fieldsOf(text, kinds));
  const recording = files.get("recording");
  const consent = consentOf({ files, text });
  const more: Detail[] = [
    ...(details ?? []),
    ...(details === null ? nameFaults(value.name) : []),
    ...(recording ? [] : [required("audio_sample", "is required: a file part with the recording")]),
    ...("details" in consent ? consent.details : []),
  ];
  if (more.length > 0 || "details" in consent || !recording || details !== null) throw invalidInput(more);
  const { name, model = null, language = null } = value;
  return { name: name.trim(), model, language, recording, consent };
}

/** Rules that a schema cannot express. */
const nameFaults = (name: string): Detail[] =>
  /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || name.trim() === ""
    ? [{ field: "name", code: "malformed", message: "must be one line of text" }]
    : [];

const required = (field: string, message: string): Detail => ({ field, code: "required", message });

const noPrompts = () =>
  new Refusal(
    "unsupported_parameter",
    "Voices are made of recordings here, or as blends of other voices, and not of descriptions.",
    { param: "type" },
  );

function consentOf({ files, text }: VoiceForm): GivenConsent | { details: Detail[] } {
  const file = files.get("consent");
  if (file) return { kind: "recording", file };
  const statement = text.get("consent")?.at(-1)?.trim() ?? "";
  if (statement === "")
    return { details: [required("consent", "is required: that the speaker agrees, recorded or in writing")] };
  const refused = (code: Detail["code"], message: string) => ({
    details: [{ field: "consent", code, message }],
  });
  if (/^cons_\w{1,100}$/.test(statement)) return { kind: "id", id: statement };
  const { length } = [...statement];
  if (length < STATEMENT.min) return refused("too_short", `must have at least ${STATEMENT.min} characters`);
  if (length > STATEMENT.max) return refused("too_long", `must have at most ${STATEMENT.max} characters`);
  return { kind: "statement", text: statement };
}

/** The JSON of a voice that is a blend of others. */
export const BlendBody = Type.Object({
  name: VoiceName,
  model: ModelName,
  blend: Type.String({
    minLength: 1,
    maxLength: 256,
    description: "Voices of one engine and their weights, such as female-warm(2)+male-deep(1).",
  }),
});
const blendBody = checker(BlendBody);

export type BlendRequest = { name: string; model: string | null; blend: string };

export function parseBlendBody(body: unknown): BlendRequest {
  if ((body as { type?: unknown } | null)?.type === "prompt") throw noPrompts();
  const { value, details } = blendBody.check(body);
  const more: Detail[] = details ?? nameFaults(value.name);
  if (details === null && !isBlend(value.blend))
    more.push({
      field: "blend",
      code: "malformed",
      message: "must name voices with plus signs between them",
    });
  if (more.length > 0 || details !== null) throw invalidInput(more);
  const { name, model = null, blend } = value;
  return { name: name.trim(), model, blend };
}

const ConsentName = Type.Object({ name: VoiceName });
const consentName = checker(ConsentName);
const ConsentFields = Type.Object({
  ...ConsentName.properties,
  language: Type.String({
    minLength: 1,
    maxLength: LANGUAGE_MAX,
    description: "What is spoken in the recording, as a tag such as en-US.",
  }),
});
const consentFields = checker(ConsentFields);

/** For the OpenAPI document. */
export const CONSENT_DOCUMENTS = {
  form: Type.Object({
    ...ConsentFields.properties,
    recording: Type.Unsafe({ ...Binary, description: "The recording, of 1 to 30 seconds." }),
  }),
  update: ConsentName,
};

export function parseConsentForm({ files, text }: VoiceForm) {
  const { value, details } = consentFields.check(fieldsOf(text, { name: "text", language: "text" }));
  const recording = files.get("recording");
  const isTag = details !== null || isLanguageTag(languageHint(value.language) ?? "");
  const more: Detail[] = [
    ...(details ?? nameFaults(value.name)),
    ...(isTag
      ? []
      : [{ field: "language", code: "malformed" as const, message: "must be a tag, such as en-US" }]),
    ...(recording ? [] : [required("recording", "is required: a file part with the recording")]),
  ];
  if (more.length > 0 || details !== null || !recording) throw invalidInput(more);
  return { name: value.name.trim(), language: value.language, recording };
}

export function parseConsentName(body: unknown): string {
  const { value, details } = consentName.check(body);
  const more = details ?? nameFaults(value.name);
  if (more.length > 0 || details !== null) throw invalidInput(more);
  return value.name.trim();
}
