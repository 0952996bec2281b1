/** The answer to `describe`: one recognition program and one speech program, because clients use only the first of each. */
import { version as serverVersion } from "../../package.json";
import type { Catalogue } from "../models/catalogue.ts";
import { languagesOf, languagesSpoken, type Voice } from "../models/manifest.ts";
import { recognitionModels, speechModels } from "./catalogue-choice.ts";
import { eventOf } from "./wyoming-session.ts";

/** What clients require of every program, model and voice. */
const artifact = (name: string, description: string, version: string) => ({
  name,
  description,
  version,
  installed: true,
  attribution: { name: "Loquat", url: "" },
});

/** A kind of program without models is left out: clients would offer it to their users. */
export function infoEvent(catalogue: Catalogue) {
  const models = recognitionModels(catalogue).map(({ id, version }) => ({
    ...artifact(id, version.name, version.version),
    languages: languagesOf(version),
  }));
  const voices = new Map<string, object>();
  for (const { version } of speechModels(catalogue))
    for (const voice of version.voices)
      if (!voices.has(voice.id)) voices.set(voice.id, voiceInfo(voice, version.version));
  const program = artifact("loquat", "Loquat", serverVersion);
  const asr = { ...program, models, supports_transcript_streaming: true };
  const tts = { ...program, voices: [...voices.values()], supports_synthesize_streaming: true };
  return eventOf("info", {
    asr: models.length > 0 ? [asr] : [],
    tts: voices.size > 0 ? [tts] : [],
    handle: [],
    intent: [],
    wake: [],
    mic: [],
    snd: [],
  });
}

/** Clients call a voice by its description, and keep its name. */
const voiceInfo = (voice: Voice, version: string) => ({
  ...artifact(voice.id, `${voice.name} (${voice.locale})`, version),
  languages: [voice.locale, ...languagesSpoken(voice).filter((each) => !voice.locale.startsWith(each))],
  speakers: null,
});
