/**
 * A recording that a client of a dialect has transcribed: the way of every request, between the dialect's reading of it
 * and its answer.
 *
 *   upload ──the dialect reads it──> what is wanted ──> engine ──> charge ──> segments ──the dialect writes them──> answer
 */

import { unlessRefused } from "../../errors.ts";
import { transcribe } from "../../metered/transcription.ts";
import { type Catalogue, isStt } from "../../models/catalogue.ts";
import { type ChosenRecognition, chooseRecognition } from "../../models/choose.ts";
import { type Transcript, transcriptOf } from "../../transcription/transcript.ts";
import { uploadFingerprint } from "../middleware/body/idempotency.ts";
import type { Upload } from "../middleware/body/upload.ts";
import { type Admitted, claimOf, type MeteredCall } from "../middleware/metering.ts";
import { audioWarningsHeader, ignoredFieldsHeader } from "../middleware/response-headers.ts";
import type { DialectServices } from "./dialect.ts";

/** `prefer`: the words of `keywords`. `ignored`: what was sent and has no effect. */
export type RecordingRequest = WantedRecognition & {
  prefer: readonly string[];
  speakerCount: number | null;
  ignored: readonly string[];
};

/** `model`: its id. `speakers`: whether they are told apart. */
export type Heard = Transcript & {
  model: string;
  version: string;
  speakers: boolean;
};

type Received = {
  call: MeteredCall;
  admitted: Admitted;
  catalogue: Catalogue;
  /** Its bytes are given back once they are decoded. */
  upload: Upload;
  asked: RecordingRequest;
};

/** The work has ended and is charged when it resolves. */
export async function hear(deps: DialectServices, received: Received): Promise<Heard> {
  const { call, admitted, catalogue, upload, asked } = received;
  const { work, holding } = admitted;
  const known = asked.model === null ? null : catalogue.find(asked.model);
  work.note({ model: known?.id ?? null, stream: false, responseFormat: "json" });
  const { chosen, unable } = chooseAble(catalogue, asked);
  work.note({ model: chosen.model });
  Object.assign(call.set.headers, ignoredFieldsHeader([...asked.ignored, ...unable]));
  const claim = claimOf(admitted, "batch");
  await work.identify(() => uploadFingerprint(upload));
  const source = { bytes: upload.file, free: () => upload[Symbol.dispose](), param: "file" };
  const { language, languages, keywords } = chosen;
  const recording = await transcribe(deps, source, {
    ...{ work, holding, claim, chosen },
    hints: {
      ...{ language, languages, translate: false, prompt: "", mustPrefer: false },
      keywords: keywords ? [...asked.prefer] : [],
      wordTimes: asked.wordTimes !== null || chosen.diarizer !== null,
    },
    speakers: { known: [], count: asked.speakerCount },
  });
  Object.assign(call.set.headers, audioWarningsHeader(recording.warnings));
  const segments = await recording.whole();
  work.started();
  work.end(200);
  return {
    ...transcriptOf(segments, chosen.assumedLanguage, recording.durationSeconds),
    ...{ model: chosen.model, version: chosen.manifest.version, speakers: chosen.diarizer !== null },
  };
}

/**
 * The recognition that a dialect's client asks for. Its clients send much of it unasked, so what only adds to the text is
 * left out where no engine can do it, and told.
 *
 * `model` null: that of the empty name, or the first that is installed. Of the rest, null: it is not asked for.
 */
type WantedRecognition = {
  model: string | null;
  language: string | null;
  languages: readonly string[];
  keywords: Wish;
  speakers: Wish;
  wordTimes: Wish;
};

/** The name by which the client asked for it. */
type Wish = string | null;

/** `unable`: by the names that the client asked by. */
type AbleRecognition = { chosen: ChosenRecognition; unable: string[] };

type Choice = Parameters<typeof chooseRecognition>[1];

/** Throws the refusal of what cannot be left out: the model, and the language. */
function chooseAble(catalogue: Catalogue, wanted: WantedRecognition): AbleRecognition {
  const { language, languages, keywords, speakers, wordTimes } = wanted;
  let request: Choice = { model: modelOf(catalogue, wanted), language, languages, streaming: false };
  const wishes: [Wish, Partial<Choice>][] = [
    [wordTimes, { wordTimes }],
    [speakers, { speakers: speakers === null ? null : { param: speakers, isUsed: true } }],
    [keywords, { keywords: true }],
  ];
  const unable: string[] = [];
  for (const [name, wish] of wishes) {
    if (name === null) continue;
    const next = { ...request, ...wish };
    if (unlessRefused(() => chooseRecognition(catalogue, next)) === null) unable.push(name);
    else request = next;
  }
  return { chosen: chooseRecognition(catalogue, request), unable };
}

function modelOf(catalogue: Catalogue, { model }: Pick<WantedRecognition, "model">): string {
  if (model !== null) return model;
  const unnamed = catalogue.find("");
  if (unnamed && isStt(unnamed)) return unnamed.id;
  return catalogue.entries.filter(isStt).find(({ version }) => version !== null)?.id ?? "";
}
