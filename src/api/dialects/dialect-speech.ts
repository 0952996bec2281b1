/**
 * One request for speech of a dialect, from what it asks for to what can be spoken:
 *
 *   text -> as the organization reads it -> voice -> model -> an utterance, which metered/ speaks and charges
 */
import type { ClipFormat } from "../../audio/formats.ts";
import { invalidInput } from "../../errors.ts";
import type { Ending } from "../../metered/ending.ts";
import { CHARACTERS_MAX } from "../../metered/request-limits.ts";
import { type MeteredUtterance, NOTHING_SPOKEN, readText } from "../../metered/speech.ts";
import type { Catalogue } from "../../models/catalogue.ts";
import { type ChosenSpeech, chooseSpeech } from "../../models/choose.ts";
import { type OwnVoice, type OwnVoices, ownVoiceNamed } from "../../voices/voices.ts";
import { jsonFingerprint } from "../middleware/body/idempotency.ts";
import { type Admitted, claimOf, endAs } from "../middleware/metering.ts";
import type { DialectServices } from "./dialect.ts";

/** The voice as the request names it, and its choice of model and voice. `speed` is a factor. */
export type SpeechChoice = {
  voice: string | null;
  named(catalogue: Catalogue, ownVoice: OwnVoice | null): { model: string; voice: string };
  format: ClipFormat;
  speed: number;
  language: string | null;
};

/** `body`: what tells whether it was sent before. `streaming`: its sound is sent while it is made. */
export type DialectSpeech = SpeechChoice & { text: string; streaming: boolean; body: object };

/** What its routes need. */
export type SpeechDeps = Pick<
  DialectServices,
  | "metered"
  | "catalogueFor"
  | "ownVoices"
  | "pronunciations"
  | "synthesizer"
  | "voices"
  | "timeouts"
  | "unreadMs"
  | "log"
>;

type ChoiceDeps = { catalogueFor: DialectServices["catalogueFor"]; ownVoices: OwnVoices };

export type ChosenVoice = { chosen: ChosenSpeech; ownVoice: OwnVoice | null };

/** Refuses a voice or model that is not here, and AAC where it cannot be made. */
export async function chooseFor(
  { catalogueFor, ownVoices }: ChoiceDeps,
  principal: Admitted["principal"],
  { voice: name, named, format: { format }, speed, language }: SpeechChoice,
): Promise<ChosenVoice> {
  const catalogue = catalogueFor(principal);
  const ownVoice = name === null ? null : await ownVoiceNamed(ownVoices, principal, name);
  const choice = { ...named(catalogue, ownVoice), speed, language, streaming: true, isForeign: true };
  return { ownVoice, chosen: chooseSpeech(catalogue, { ...choice, ownVoice, format: familyOf(format) }) };
}

/** G.711 is made of samples. */
const familyOf = (format: ClipFormat["format"]): string => (/(?:u|a)law$/.test(format) ? "pcm" : format);

export async function utteranceOf(
  deps: ChoiceDeps & Pick<DialectServices, "pronunciations">,
  admitted: Admitted,
  { text, body, streaming, ...choice }: DialectSpeech,
): Promise<MeteredUtterance> {
  const { principal, work } = admitted;
  const organization = principal.organizationId;
  const read = await readText(deps.pronunciations, { text, organization, field: "text" });
  const { format, language, speed } = choice;
  work.note({ stream: streaming, characters: read.characters, responseFormat: format.format });
  const { chosen, ownVoice } = await chooseFor(deps, principal, choice);
  work.note({ model: chosen.model, voice: chosen.voice.id });
  await work.identify(async () => jsonFingerprint(body));
  const urgency = streaming ? "streaming" : "batch";
  const claim = claimOf(admitted, urgency);
  const wording = { read, language, speed, instructions: "" };
  return { ...wording, work, chosen, ownVoice, claim, before: NOTHING_SPOKEN };
}

/** A text that can be spoken at all. */
export function checkText(text: string): void {
  const problem =
    text.trim() === ""
      ? ({ code: "too_short", message: "is empty" } as const)
      : [...text].length > CHARACTERS_MAX
        ? ({ code: "too_long", message: `is longer than ${CHARACTERS_MAX} characters` } as const)
        : null;
  if (problem) throw invalidInput([{ field: "text", ...problem }]);
}

/** How it is sent, and how it ends. */
export function endingOf(
  { unreadMs, log }: Pick<SpeechDeps, "unreadMs" | "log">,
  { id, utterance, end }: { id: string; utterance: MeteredUtterance; end(ending: Ending): void },
) {
  const { work, claim } = utterance;
  return {
    unreadMs,
    signal: claim.signal,
    end(ending: Ending) {
      end(ending);
      endAs({ id, work, log }, ending);
    },
  };
}
