/** Makes a job of a text that is to be spoken. The same request sent again gets the same job. */

import type { Principal } from "../../../accounts/principal.ts";
import { BOOK_FORMAT } from "../../../audio/formats.ts";
import { FFMPEG_ADVICE } from "../../../engine/families/families.ts";
import type { Claim } from "../../../engine/runner.ts";
import { Refusal } from "../../../errors.ts";
import type { Jobs } from "../../../jobs/jobs.ts";
import { jobIdOf } from "../../../jobs/jobs.ts";
import type { NewSpeechJob, SpeechJobs } from "../../../jobs/speech-jobs.ts";
import { codePointsIn } from "../../../jobs/text-pieces.ts";
import { languageCode } from "../../../language-tag.ts";
import type { Holding } from "../../../memory/budget.ts";
import { type ChosenSpeech, chooseSpeech } from "../../../models/choose.ts";
import { speakerOf } from "../../../models/choose-voice.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { backgroundPriceOf } from "../../../models/manifest.ts";
import { readerOf } from "../../../speech/pronounceable.ts";
import { labelIn } from "../../../usage/request-log.ts";
import { type OwnVoices, ownVoiceNamed } from "../../../voices/voices.ts";
import { jsonFingerprint } from "../../middleware/body/idempotency.ts";
import { claimOf } from "../../middleware/metering.ts";
import { ignoredFieldsHeader } from "../../middleware/response-headers.ts";
import { parseLongSpeech } from "../long-speech-fields.ts";
import { type BackgroundSpeech, ignoredBy } from "../speech.ts";
import { parseSpeechRequest, type SpeechRequest } from "../speech-request.ts";
import { coverIn, noCoverIn } from "./cover-file.ts";
import { answerWithJob, storedJob } from "./create-job.ts";
import { openLongTexts } from "./long-texts.ts";

type RequestDeps = Parameters<typeof openLongTexts>[0] & {
  ownVoices: OwnVoices;
  catalogueFor: CatalogueFor;
  /** Whether FFmpeg is here. */
  encodesAac: boolean;
};

type Reading = {
  principal: Principal;
  body: unknown;
  holding: Pick<Holding, "take">;
  claim: Claim;
  /** Told what is known so far, also of a request that is refused afterwards. */
  note(known: Noted): void;
};

type Noted = {
  model?: string | null;
  voice?: string;
  language?: string | null;
  responseFormat?: string;
  stream?: boolean;
  characters?: number;
  endUser?: string | null;
  label?: string | null;
};

type SpeechJobRead = {
  request: SpeechRequest;
  chosen: ChosenSpeech;
  /** Reads its text, which may lie at an address. */
  job: () => Promise<Omit<NewSpeechJob, "id" | "requestId">>;
};

/** What the fields that every request has are checked with; the text is checked apart. */
const ANY_TEXT = "text";

/** The job that a body asks for, without its ids. */
export const openSpeechJobRequests = ({ ownVoices, catalogueFor, encodesAac, ...reading }: RequestDeps) => {
  const textsOf = openLongTexts(reading);
  return async ({ principal, body, holding, claim, note }: Reading): Promise<SpeechJobRead> => {
    const { long, others } = parseLongSpeech(body);
    const request = parseSpeechRequest({ ...others, input: ANY_TEXT });
    const catalogue = catalogueFor(principal);
    const noted = { stream: false, endUser: request.endUser, label: labelIn(long.metadata) };
    note({ model: catalogue.find(request.model)?.id ?? null, ...noted });
    const ownVoice = await ownVoiceNamed(ownVoices, principal, request.voice);
    const { language, speed } = request;
    const isBook = request.format === BOOK_FORMAT;
    const format = isBook ? null : request.format;
    const chosen = chooseSpeech(catalogue, { ...request, format, streaming: false, ownVoice });
    const { voice, manifest, model } = chosen;
    const responseFormat = isBook ? BOOK_FORMAT : chosen.format;
    if (isBook && !encodesAac) throw needsFfmpeg();
    note({ voice: voice.id, responseFormat, language: languageCode(language ?? voice.locale) });
    const { metadata = {}, cover_file_id: coverFileId } = long;
    const isPictured = WITH_COVER.includes(responseFormat);
    if (coverFileId !== undefined && !isPictured) throw noCoverIn(WITH_COVER);
    const asked = {
      ...{ model, responseFormat, priceMicros: backgroundPriceOf(manifest), metadata },
      request: {
        ownVoiceId: ownVoice?.kind === "recording" ? ownVoice.id : null,
        voice: {
          ...{ engine: voice.engine, ...speakerOf(voice), reader: readerOf(voice, language) },
          ...{ language: language ?? voice.locale, speed },
          instructions: manifest.speech.instructions ? request.instructions : "",
        },
      },
    };
    const job = async () => {
      const own =
        coverFileId === undefined
          ? null
          : await coverIn({ files: reading.files, owner: principal, holding }, coverFileId);
      const { chapters, fileId, url, cover, ...found } = await textsOf(long, {
        owner: principal,
        holding,
        claim,
      });
      note({ characters: chapters.reduce((sum, { text }) => sum + codePointsIn(text), 0) });
      const { title = found.title, author = found.author } = long;
      return { ...asked, fileId, url, title, author, chapters, cover: own ?? (isPictured ? cover : null) };
    };
    return { request, chosen, job };
  };
};

/** Formats whose files have a picture. */
const WITH_COVER: string[] = ["mp3", BOOK_FORMAT];

const needsFfmpeg = () =>
  new Refusal(
    "unsupported_response_format",
    `${BOOK_FORMAT} needs FFmpeg: ${FFMPEG_ADVICE}. Name another response_format.`,
    { param: "response_format" },
  );

type CreateDeps = RequestDeps & {
  jobs: Pick<Jobs, "find">;
  speechJobs: Pick<SpeechJobs, "create">;
};

export const openCreateSpeechJob = ({ jobs, speechJobs, ...deps }: CreateDeps) => {
  const read = openSpeechJobRequests(deps);
  return async ({ call, admitted, body }: BackgroundSpeech): Promise<Response> => {
    const { id: requestId, principal, work, holding } = admitted;
    const note = (known: Noted) => work.note(known);
    const claim = claimOf(admitted, "batch");
    const { request, chosen, job } = await read({ principal, body, holding, claim, note });
    Object.assign(call.set.headers, ignoredFieldsHeader(ignoredBy(request, chosen)));
    await work.identify(async () => jsonFingerprint(body));
    const id = jobIdOf(work.replays.requestId);
    return answerWithJob(jobs, admitted, async () => {
      const made = await job();
      return storedJob(speechJobs.create(principal, { ...made, id, requestId }));
    });
  };
};
