/** Makes a job of a text that is to be spoken. The same request sent again gets the same job. */

import type { Files } from "../../../files/files.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { jobIdOf } from "../../../jobs/jobs.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import { codePointsIn } from "../../../jobs/text-pieces.ts";
import { chooseSpeech } from "../../../models/choose.ts";
import { speakerOf } from "../../../models/choose-voice.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import { readerOf } from "../../../speech/pronounceable.ts";
import { type OwnVoices, ownVoiceNamed } from "../../../voices/own-speech.ts";
import { jsonFingerprint } from "../../middleware/body/idempotency.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { parseLongSpeech } from "../long-speech-fields.ts";
import { type BackgroundSpeech, ignoredBy } from "../speech.ts";
import { parseSpeechRequest } from "../speech-request.ts";
import { answerWithJob } from "./create-job.ts";
import { openLongTexts } from "./long-texts.ts";

type CreateDeps = {
  jobs: Pick<Jobs, "find">;
  speechJobs: Pick<SpeechJobs, "create">;
  files: Pick<Files, "find" | "content">;
  ownVoices: OwnVoices;
  catalogueFor: CatalogueFor;
};

/** What the fields that every request has are checked with; the text is checked apart. */
const ANY_TEXT = "text";

export const openCreateSpeechJob = (deps: CreateDeps) => {
  const { jobs, speechJobs, files, ownVoices, catalogueFor } = deps;
  const textsOf = openLongTexts(files);
  return async ({ call, admitted, body }: BackgroundSpeech): Promise<Response> => {
    const { id: requestId, principal, work, holding } = admitted;
    const { long, others } = parseLongSpeech(body);
    const request = parseSpeechRequest({ ...others, input: ANY_TEXT });
    const catalogue = catalogueFor(principal);
    work.note({ model: catalogue.find(request.model)?.id ?? null, stream: false, endUser: request.endUser });
    const ownVoice = await ownVoiceNamed(ownVoices, principal, request.voice);
    const { language, speed } = request;
    const chosen = chooseSpeech(catalogue, { ...request, streaming: false, ownVoice });
    const { voice, manifest, model, format: responseFormat } = chosen;
    Object.assign(call.set.headers, ignoredFieldsHeader(ignoredBy(request, chosen)));
    const { chapters, fileId } = await textsOf(principal, long, holding);
    const characters = chapters.reduce((sum, { text }) => sum + codePointsIn(text), 0);
    work.note({ characters, voice: voice.id, responseFormat });
    await work.identify(async () => jsonFingerprint(body));
    const { title = null, author = null, metadata = {} } = long;
    return answerWithJob(jobs, admitted, () =>
      speechJobs.create(principal, {
        ...{ id: jobIdOf(work.replays.requestId), requestId, model, responseFormat },
        ...{ priceMicros: backgroundPriceOf(manifest), metadata, fileId, title, author, chapters },
        request: {
          ownVoiceId: ownVoice?.kind === "recording" ? ownVoice.id : null,
          voice: {
            ...{ engine: voice.engine, ...speakerOf(voice), reader: readerOf(voice, language) },
            ...{ language: language ?? voice.locale, speed },
            instructions: manifest.speech.instructions ? request.instructions : "",
          },
        },
      }),
    );
  };
};
