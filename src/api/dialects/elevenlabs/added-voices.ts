/**
 * POST /v1/voices/add as ElevenLabs has it: makes a voice of a recording, which costs what it does at POST /v1/audio/voices. That
 * the speaker agrees must be said here too, as the label "consent".
 */
import { Elysia } from "elysia";
import Type from "typebox";
import { parseJson } from "../../../bounded-json.ts";
import { type Detail, invalidInput, Refusal } from "../../../errors.ts";
import { openRoom } from "../../../memory/budget.ts";
import { checker } from "../../../schema.ts";

import { VOICE_FORM_LIMIT, type VoiceForm } from "../../v1/voices/voice-form.ts";
import { parseVoiceForm } from "../../v1/voices/voice-request.ts";
import { recordVoice } from "../../v1/voices/voice-routes.ts";
import type { DialectServices } from "../dialect.ts";

const ROUTE = {
  endpoint: "/elevenlabs/v1/voices/add",
  scope: "voice:create",
  bucket: "seconds",
} as const;

const labels = checker(
  Type.Union([
    Type.Null(),
    Type.Record(Type.String({ maxLength: 256 }), Type.Union([Type.String(), Type.Null()])),
  ]),
);

export function addedVoices(services: DialectServices) {
  const { metered, ownVoices } = services;
  const uploads = openRoom({ organizationBytes: 4 * VOICE_FORM_LIMIT });
  const deps = { ...services, ...ownVoices, uploads };
  return new Elysia().post(
    "/elevenlabs/v1/voices/add",
    (call) =>
      metered(call, ROUTE, async (admitted) => {
        const made = await recordVoice(deps, { call, admitted, parse });
        const { id } = (await made.json()) as { id: string };
        const warnings = made.headers.get("x-audio-warnings");
        const headers = warnings === null ? {} : { "x-audio-warnings": warnings };
        return Response.json({ voice_id: id, requires_verification: false }, { headers });
      }),
    { parse: "none", detail: { hide: true } },
  );
}

/** The form as the server's own API has it. */
function parse({ files, text }: VoiceForm) {
  const value = (name: string) => text.get(name)?.at(-1);
  if (value("remove_background_noise") === "true")
    throw new Refusal("unsupported_parameter", "Recordings are used as they are: noise is not removed.", {
      param: "remove_background_noise",
    });
  const { consent, language } = labelsOf(value("labels"));
  const missing: Detail[] = [];
  if (!files.has("recording")) missing.push(required("files", "is required: a file part with a recording"));
  if (!consent) missing.push(required("labels.consent", "is required: that the speaker agrees, in writing"));
  if (missing.length > 0 || !consent) throw invalidInput(missing);
  const fields = { name: value("name") ?? "", consent, ...(language ? { language } : {}) };
  const texts = Object.entries(fields).map(([name, text]): [string, string[]] => [name, [text]]);
  return parseVoiceForm({ files, text: new Map(texts) });
}

const required = (field: string, message: string): Detail => ({ field, code: "required", message });

/** Stock clients send the text `null` where there are none. */
function labelsOf(text: string | undefined): Record<string, string | null> {
  if (text === undefined || text === "") return {};
  const { value: parsed, problem } = parseJson(text);
  const { value, details } = labels.check(parsed);
  if (problem === null && details === null) return value ?? {};
  throw invalidInput([{ field: "labels", code: "wrong_type", message: "must be JSON: an object of texts" }]);
}
