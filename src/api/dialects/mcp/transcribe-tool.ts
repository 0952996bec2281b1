/** The tool `transcribe`: the text of a recording that is sent in base64. Costs what transcription costs. */

import Type from "typebox";
import { invalidInput } from "../../../errors.ts";
import { languageHint } from "../../../language-tag.ts";
import { PROMPT_CHARACTERS_MAX } from "../../../metered/request-limits.ts";
import { transcribe } from "../../../metered/transcription.ts";
import { type Catalogue, isStt } from "../../../models/catalogue.ts";
import { chooseRecognition } from "../../../models/choose.ts";
import { transcriptOf } from "../../../transcription/transcript.ts";
import { decodeBase64 } from "../../middleware/body/base64.ts";
import { formFingerprint } from "../../middleware/body/idempotency.ts";
import { type Admitted, claimOf } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { ENDPOINT, openTool } from "./tool.ts";

/** Of a recording, decoded from base64. */
export const AUDIO_BYTES_MAX = 6 * 1024 * 1024;

const Input = Type.Object(
  {
    audio: Type.String({
      minLength: 1,
      description: `The recording in base64, or a data URL of it: at most ${AUDIO_BYTES_MAX / 1024 / 1024} MB of WAV, MP3, FLAC, Ogg and others. Addresses are not fetched.`,
    }),
    language: Type.Optional(
      Type.String({
        maxLength: 256,
        description: "What is spoken, such as en; found when absent, where a model can.",
      }),
    ),
    prompt: Type.Optional(
      Type.String({
        maxLength: PROMPT_CHARACTERS_MAX,
        description: "What was said before, or words to expect.",
      }),
    ),
    timestamps: Type.Optional(
      Type.Boolean({ description: "Whether each segment is returned with its times." }),
    ),
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "A transcription model; seldom needed." }),
    ),
  },
  { additionalProperties: false },
);

type Given = Type.Static<typeof Input>;

type Transcribed = {
  text: string;
  language: string;
  duration: number;
  segments?: { start: number; end: number; text: string }[];
};

const ROUTE = { endpoint: ENDPOINT, scope: "transcription:create", bucket: "seconds" } as const;

export const transcribeTool = (services: DialectServices) =>
  openTool({
    name: "transcribe",
    title: "Transcribe a recording",
    description: "Returns the text that is spoken in a recording.",
    input: Input,
    isFree: false,
    async run(given, call) {
      const bytes = await decoded(given.audio);
      const made = await services.metered(call, ROUTE, async (admitted) =>
        Response.json(await transcribed(services, { ...given, bytes }, admitted)),
      );
      const transcript = (await made.json()) as Transcribed;
      return { content: [{ type: "text", text: transcript.text }], structuredContent: transcript };
    },
  });

async function transcribed(
  services: DialectServices,
  given: Omit<Given, "audio"> & { bytes: Uint8Array },
  admitted: Admitted,
): Promise<Transcribed> {
  const { principal, work, holding } = admitted;
  const { bytes, model, prompt = "", timestamps = false } = given;
  const catalogue = services.catalogueFor(principal);
  const language = languageHint(given.language);
  const chosen = chooseRecognition(catalogue, {
    ...{ model: model ?? firstModel(catalogue), language, streaming: false },
    wordTimes: null,
  });
  work.note({ model: chosen.model, stream: false, responseFormat: "json" });
  holding.take(bytes.length);
  await work.identify(() => formFingerprint({ ...given, bytes: null }, [bytes]));
  const claim = claimOf(admitted, "batch");
  const source = { bytes, free: () => {}, param: "audio" };
  const recording = await transcribe(services, source, {
    ...{ work, holding, claim, chosen },
    hints: {
      ...{ language: chosen.language, languages: chosen.languages, translate: false },
      ...{ prompt, keywords: [], mustPrefer: false, wordTimes: false },
    },
    speakers: { known: [], count: null },
  });
  const segments = await recording.whole();
  work.started();
  work.end(200);
  const whole = transcriptOf(segments, chosen.assumedLanguage, recording.durationSeconds);
  return {
    text: whole.text,
    language: whole.language,
    duration: recording.durationSeconds,
    ...(timestamps && {
      segments: segments.map(({ start, end, text }) => ({ start, end, text: text.trim() })),
    }),
  };
}

/** The first that is installed; else the first, whose refusal says so. */
function firstModel({ entries }: Catalogue): string {
  const models = entries.filter(isStt);
  return (models.find(({ version }) => version !== null) ?? models[0])?.id ?? "";
}

const refused = (code: "malformed" | "too_long", message: string) =>
  invalidInput([{ field: "audio", code, message }]);

/** In slices, between which the event loop does other work. */
async function decoded(audio: string): Promise<Uint8Array> {
  if (/^(https?|ftp|file):/i.test(audio.slice(0, 10).trimStart()))
    throw refused("malformed", "must be the recording itself in base64: addresses are not fetched");
  const comma = audio.startsWith("data:") ? audio.indexOf(",", 0) + 1 : 0;
  const text = audio.slice(comma);
  if (text.length > Math.ceil(AUDIO_BYTES_MAX / 3) * 4)
    throw refused("too_long", `must have at most ${AUDIO_BYTES_MAX} bytes`);
  const alphabet = text.includes("-") || text.includes("_") ? "base64url" : "base64";
  const pieces = await decodeBase64(text, alphabet);
  if (pieces === null || pieces.length === 0) throw refused("malformed", "must be base64");
  return Buffer.concat(pieces);
}
