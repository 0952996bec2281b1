/** Models, voices and the context of a key, as the OpenAPI document describes them. */
import Type from "typebox";
import { PLANS } from "../../plans.ts";
import { flag, listOf, names, nullable, number, oneOf, text, unixTime, whole } from "./described.ts";

const SpeechOptions = Type.Object({
  response_formats: names("Formats of whole files."),
  streamable_formats: names("Formats of streams."),
  background_formats: names("Formats of jobs: m4b too, where the server has FFmpeg."),
  speed: Type.Object({ min: number("The slowest."), max: number("The fastest.") }),
  instructions: flag("Whether the model follows `instructions`."),
});

const Model = Type.Object({
  id: text("What requests name."),
  alias_of: Type.Optional(text("Of an alias: the model that it stands for.")),
  object: Type.Literal("model"),
  created: unixTime("When this version was published"),
  owned_by: text("Who publishes the model."),
  name: text("For people."),
  type: oneOf(["tts", "stt"], "Text to speech, or speech to text."),
  description: text("What the model is for."),
  capabilities: names("Any of batch, streaming and realtime."),
  supported_languages: names("Primary language subtags, such as en."),
  status: text("Such as available, or deprecated."),
  public_version: text("The version that requests use today."),
  shutdown_date: nullable(text("The day on which the model is withdrawn.")),
  speech_options: nullable({ ...SpeechOptions, description: "Of text to speech; null for other models." }),
  pricing: Type.Optional(
    Type.Object(
      {
        unit: oneOf(["character", "second"], "What is counted."),
        micros_per_million: whole("What a million of them costs your organization, in micros of a dollar."),
        currency: Type.Literal("usd"),
        next: Type.Optional(
          Type.Object(
            {
              micros_per_million: whole("What it will cost."),
              valid_from: unixTime("From when on"),
            },
            { description: "Absent where no change is planned." },
          ),
        ),
      },
      { description: "Absent where nothing is sold: for unmetered organizations." },
    ),
  ),
});

const Voice = Type.Object({
  id: text("What requests name."),
  name: text("For people."),
  language: text("The voice's first language, as a primary subtag."),
  locale: text("Language and region, such as en-GB."),
  gender: text("As published."),
  preview_url: nullable(text("Always null.")),
  status: Type.Literal("available"),
  metadata: Type.Object({
    style: Type.Optional(nullable(text("In a word, such as warm."))),
    age: Type.Optional(nullable(text("In a word, such as adult."))),
    description: Type.Optional(nullable(text("In a sentence."))),
    use_cases: Type.Optional(names("What the voice suits.")),
    languages: names("All languages that the voice speaks."),
    sample_rate: whole("In hertz."),
    models: names("The models that have the voice."),
  }),
});

const MenuVoices = Type.Object({
  voices: Type.Array(
    Type.Union([
      Type.Object({
        id: text("What requests name."),
        name: text("For people."),
        locale: text("Language and region, such as en-GB."),
        gender: text("As published."),
      }),
      text("The id."),
    ]),
    { description: "The voices that can be used." },
  ),
});

const MenuModels = Type.Object({
  object: Type.Literal("list"),
  models: Type.Array(Type.Object({ id: text("What requests name."), name: text("For people.") }), {
    description: "Models that speak.",
  }),
});

const Key = Type.Object({
  id: text("The id, which is no secret."),
  object: Type.Literal("api_key"),
  name: text("For people."),
  environment: oneOf(["live", "test"], "Usage is reported apart for each."),
  prefix: text("The first characters of the secret."),
  last4: text("The last characters of the secret."),
  scopes: names("What the key may do."),
  status: oneOf(["active", "revoked", "expired"], "Only active keys are accepted."),
  created_at: unixTime("When it was created"),
  expires_at: nullable(unixTime("Until when it is valid; null: without end")),
  last_used_at: nullable(unixTime("When it was last used, to within a minute")),
});

const Named = (what: string) =>
  Type.Object(
    {
      mode: oneOf(["allow_list", "deny_list"], "Whether these may be used, or all others."),
      ids: names(`The ids of ${what}.`),
    },
    { description: `Which ${what} it may use; null: all.` },
  );

const KeyContext = Type.Object({
  object: Type.Literal("key_context"),
  key: Key,
  project: Type.Object({
    id: text("The id."),
    object: Type.Literal("project"),
    name: text("For people."),
    status: text("active, or archived."),
  }),
  organization: Type.Object({
    id: text("The id."),
    object: Type.Literal("organization"),
    name: text("For people."),
    plan: oneOf(PLANS, "Whether credit pays for requests."),
    tier: oneOf(["free", "paid"], "Which limits a prepaid organization has."),
  }),
  limits: Type.Object({
    requests_per_minute: whole("Of the organization, as are all of these."),
    concurrent_requests: whole("How many requests and sessions may run at once."),
    tts_characters_per_minute: whole("Characters of input to speech."),
    stt_seconds_per_minute: whole("Seconds of audio to transcribe."),
    waiting_jobs: whole("How many jobs may wait."),
    running_jobs: whole("How many jobs may run at once."),
    job_seconds: whole("How long the recording of a job may last."),
    stored_bytes: whole("What files may take."),
  }),
  caps: Type.Array(
    Type.Object({
      of: oneOf(["key", "project"], "What has it."),
      budget: nullable(
        Type.Object(
          {
            limit_micros: whole("Micros of a US dollar, at list price."),
            interval: oneOf(["day", "week", "month", "total"], "In UTC; a week begins on Monday."),
            used_micros: whole("What is used of it."),
            begins_again_at: nullable(unixTime("When it begins again; null: when it is reset")),
          },
          { description: "How much money it may use; null: as much as the organization." },
        ),
      ),
      limits: nullable(
        Type.Object(
          {
            requests_per_minute: Type.Optional(whole("As those of the organization, as are all of these.")),
            concurrent_requests: Type.Optional(whole("How many requests and sessions may run at once.")),
            tts_characters_per_minute: Type.Optional(whole("Characters of input to speech.")),
            stt_seconds_per_minute: Type.Optional(whole("Seconds of audio to transcribe.")),
          },
          { description: "Its limits; null: those of the organization." },
        ),
      ),
      models: nullable(Named("models")),
      voices: nullable(Named("voices")),
    }),
    { description: "What the key and its project may use at most; empty: all that the organization may." },
  ),
});

export const CATALOGUE_SCHEMAS = {
  Model,
  ModelList: listOf("Model", "The models that can be used, and those that are not installed."),
  Voice,
  VoiceList: listOf("Voice", "The voices that can be used."),
  MenuVoices,
  MenuModels,
  KeyContext,
};
