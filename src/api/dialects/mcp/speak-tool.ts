/** The tool `speak`: a text as audio, in base64. Costs what speech costs. */
import Type from "typebox";
import { MEDIA_TYPES } from "../../../audio/formats.ts";
import { Refusal } from "../../../errors.ts";
import { isLanguageTag, languageHint, primaryLanguage } from "../../../language-tag.ts";
import { NOTHING_SPOKEN, readText, speakWhole } from "../../../metered/speech.ts";
import { type Catalogue, isTts } from "../../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech, firstAble } from "../../../models/choose.ts";
import { SPEED } from "../../../models/manifest.ts";
import { type OwnVoice, ownVoiceNamed } from "../../../voices/voices.ts";
import { jsonFingerprint } from "../../middleware/body/idempotency.ts";
import { type Admitted, claimOf } from "../../middleware/metering.ts";
import type { DialectServices } from "../dialect.ts";
import { ENDPOINT, openTool } from "./tool.ts";

const TEXT_MAX = 4000;
const AUDIO_BYTES_MAX = 8 * 1024 * 1024;

const Input = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: TEXT_MAX, description: "What is spoken." }),
    voice: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "A voice of list_voices; one of the language when absent.",
      }),
    ),
    language: Type.Optional(
      Type.String({
        maxLength: 256,
        description: "Of the text, such as en or pt-BR; the voice's own when absent.",
      }),
    ),
    speed: Type.Optional(
      Type.Number({ minimum: SPEED.min, maximum: SPEED.max, description: "1 is the voice's natural pace." }),
    ),
    format: Type.Optional(Type.Enum(["mp3", "wav", "flac", "opus"], { description: "mp3 when absent." })),
    model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: "A text-to-speech model; seldom needed." }),
    ),
  },
  { additionalProperties: false },
);

type Given = Type.Static<typeof Input>;

const ROUTE = { endpoint: ENDPOINT, scope: "speech:create", bucket: "characters" } as const;

export const speakTool = (services: DialectServices) =>
  openTool({
    name: "speak",
    title: "Speak a text",
    description: "Speaks a text, and returns the audio.",
    input: Input,
    isFree: false,
    async run(given, call) {
      const made = await services.metered(call, ROUTE, async (admitted) => {
        const { bytes, mimeType, voice, seconds } = await spoken(services, given, admitted);
        const data = Buffer.from(bytes).toString("base64");
        return Response.json({ data, mimeType, told: `${seconds.toFixed(1)} seconds, spoken by ${voice}.` });
      });
      const { data, mimeType, told } = (await made.json()) as Record<"data" | "mimeType" | "told", string>;
      return {
        content: [
          { type: "audio", data, mimeType },
          { type: "text", text: told },
        ],
      };
    },
  });

async function spoken(services: DialectServices, given: Given, admitted: Admitted) {
  const { principal, work } = admitted;
  const { catalogueFor, ownVoices, pronunciations } = services;
  const organization = principal.organizationId;
  const catalogue = catalogueFor(principal);
  const read = await readText(pronunciations, { text: given.text, organization, field: "text" });
  const hint = languageHint(given.language);
  const language = hint !== null && isLanguageTag(hint) ? hint : null;
  const ownVoice = await ownVoiceNamed(ownVoices, principal, given.voice ?? "");
  const chosen = chosenFor(catalogue, { given, language, ownVoice });
  work.note({
    ...{ model: chosen.model, voice: chosen.voice.id, responseFormat: chosen.format },
    ...{ stream: false, characters: read.characters },
  });
  await work.identify(async () => jsonFingerprint(given));
  const claim = claimOf(admitted, "batch");
  const wording = { read, language, speed: given.speed ?? 1, instructions: "" };
  const utterance = { ...wording, work, chosen, ownVoice, claim, before: NOTHING_SPOKEN };
  const { body, audioSeconds, end } = await speakWhole(services, utterance, {
    format: chosen.format,
    wordTimes: false,
  });
  const bytes = body.sizeBytes() <= AUDIO_BYTES_MAX ? await Array.fromAsync(body.chunks()) : null;
  if (bytes === null) {
    await body.close();
    end({ status: 503 }); // gives it back
    throw tooLarge(chosen.format);
  }
  work.end(200);
  const { id: voiceId, name } = chosen.voice;
  return {
    bytes: Buffer.concat(bytes),
    mimeType: MEDIA_TYPES[chosen.format],
    voice: `${name} (${voiceId})`,
    seconds: audioSeconds,
  };
}

const tooLarge = (format: string) =>
  new Refusal(
    "validation_error",
    `The audio is larger than ${AUDIO_BYTES_MAX / 1024 / 1024} MB as ${format}. Ask for mp3, or for less text at once.`,
    { param: "text" },
  );

type Wanted = { given: Given; language: string | null; ownVoice: OwnVoice | null };

/** Of the named model, or of the first that can. */
function chosenFor(catalogue: Catalogue, { given, language, ownVoice }: Wanted): ChosenSpeech {
  const { voice = voiceFor(catalogue, language), format = "mp3", speed = 1 } = given;
  const request = { voice, format, speed, streaming: false, language, ownVoice };
  const models = catalogue.entries.filter(isTts).filter(({ version }) => version !== null);
  if (given.model === undefined && models.length === 0 && catalogue.permits)
    throw catalogue.permits.nothing("model that speaks");
  const [first = "", ...others] = given.model === undefined ? models.map(({ id }) => id) : [given.model];
  return firstAble([first, ...others], (model) => chooseSpeech(catalogue, { ...request, model }));
}

/** The first that speaks the language; without one, the first of all. */
function voiceFor({ voices }: Catalogue, language: string | null): string {
  const speaking = voices.find(
    (voice) =>
      language !== null && (voice.locale === language || voice.language === primaryLanguage(language)),
  );
  return (speaking ?? voices[0])?.id ?? "";
}
