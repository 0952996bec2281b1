/**
 * Recognizes the recording of a job, piece by piece: each is durable before the next one begins, so that another node goes on
 * behind it.
 *
 *   recording -> length -> what it will cost (402) -> │ piece ──engine──> segments ──checkpoint │ … -> recognized
 */
import type { Principal } from "../accounts/principal.ts";
import { ASR_SAMPLE_RATE } from "../audio/rates.ts";
import type { JobRow, JobRows } from "../db/queries/job-rows.ts";
import type { DecodeProgram } from "../engine/media/decode-program.ts";
import type { Hypothesis } from "../engine/protocol/recognition.ts";
import type { Claim } from "../engine/runner.ts";
import { Refusal } from "../errors.ts";
import type { Files } from "../files/files.ts";
import { costOf } from "../ledger/booking/burn-down.ts";
import type { Allowance } from "../limits/allowance.ts";
import { decodeVoices, type TranscriptionServices } from "../metered/transcription.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { moved } from "../transcription/long/parts.ts";
import { recognize } from "../transcription/recognize.ts";
import { withSpeakers } from "../transcription/speakers/with-speakers.ts";
import { type Segment, segmentsOf } from "../transcription/transcript.ts";
import type { Spendable } from "../usage/admission.ts";
import { type FetchingDeps, fetchRecording } from "./fetch-recording.ts";
import type { JobParts, JobRequest, Piece } from "./job-parts.ts";
import { type JobRecording, openJobRecording, secondsIn, WHOLE_SAMPLES } from "./job-recording.ts";
import { Superseded } from "./superseded.ts";

export type RecognizingDeps = TranscriptionServices &
  FetchingDeps & {
    rows: JobRows;
    parts: JobParts;
    files: Pick<Files, "content">;
    metrics: Metrics;
    spendable: (principal: Principal) => Promise<Spendable[]>;
    /** Where a recording is for a moment. */
    folder: string;
    program: () => DecodeProgram;
    allowance: Allowance;
  };

type Running = { principal: Principal; signal: AbortSignal };

/** Returns its row as it is now. */
export async function recognizeJob(deps: RecognizingDeps, job: JobRow, running: Running): Promise<JobRow> {
  const { rows, parts, files, folder, program } = deps;
  const { signal } = running;
  const request = await parts.request(job.id);
  if (job.url !== null && job.bytes === null)
    await fetchRecording(deps, job, { owner: running.principal, signal });
  const content = files.content({ id: job.fileId ?? job.id });
  using recording = await openJobRecording(content, { folder, program: program(), signal });
  const samples = await lengthOf(deps, job, { recording, principal: running.principal });
  if (request.diarizer !== null && samples > WHOLE_SAMPLES) throw tooLongForSpeakers();
  await reserve(deps, { ...job, samples }, running.principal);
  const claim: Claim = { urgency: "background", organization: job.organizationId, request: job.id, signal };
  const { voices, warnings } = await decodeVoices(deps.decoder, request.speakers.known, claim);
  let done = job.doneSamples;
  let language = await languageBefore(deps, job);
  const warn = (warning: string) => void warnings.push(warning);
  for await (const piece of recording.pieces({ samples, done }, warn)) {
    const [from, to] = [done, done + piece.length]; // the engine takes the samples
    const found = await recognizePiece(deps, request, { piece, from, language, voices, claim });
    const sealed = await parts.encryptPiece(job.id, from, found);
    if (!(await rows.checkpoint(job.id, { from, to, sealed }))) throw new Superseded();
    deps.metrics.add("loquat_job_audio_seconds_total", (to - from) / ASR_SAMPLE_RATE);
    done = to;
    language = found.language;
  }
  const ended = { samples: done, warnings: JSON.stringify(warnings) };
  if (!(await rows.recognized(job.id, ended))) throw new Superseded();
  return { ...job, ...ended, doneSamples: done, isRecognized: true };
}

async function lengthOf(
  { rows, allowance }: RecognizingDeps,
  job: JobRow,
  { recording, principal }: { recording: JobRecording; principal: Principal },
): Promise<number> {
  if (job.samples !== null) return job.samples;
  const { jobSeconds } = await allowance(principal);
  const samples = await recording.measure(jobSeconds);
  await rows.measured(job.id, samples);
  return samples;
}

/** What all jobs of an organization will cost must be there; they were admitted before anyone knew how long they are. */
async function reserve(
  { rows, spendable }: RecognizingDeps,
  job: JobRow,
  principal: Principal,
): Promise<void> {
  const left = await spendable(principal);
  if (left.length === 0) return;
  const exceeded = await rows.reserve(job, costOf(secondsIn(job), job.priceMicros), left);
  if (exceeded !== null) throw exceeded.refusal();
}

/** What the engine has detected decides for the rest of the recording. */
async function languageBefore({ rows, parts }: RecognizingDeps, { id }: JobRow): Promise<string | null> {
  const last = (await rows.pieces(id)).at(-1);
  return last === undefined ? null : (await parts.piece(id, last)).language;
}

type OnePiece = {
  piece: Float32Array;
  from: number;
  language: string | null;
  voices: Float32Array[];
  claim: Claim;
};

async function recognizePiece(
  { registry }: RecognizingDeps,
  { engine, diarizer, hints, speakers }: JobRequest,
  { piece, from, voices, claim, ...before }: OnePiece,
): Promise<Piece> {
  let { language } = before;
  const telling = diarizer && {
    engine: registry.engine(diarizer),
    samples: piece.slice(),
    names: speakers.known.map(({ name }) => name),
    ...{ voices, speakerCount: speakers.count, claim },
  };
  const hypotheses = recognize(registry.engine(engine), {
    ...hints,
    ...{ language: hints.language ?? language, samples: piece, spans: null, claim },
  });
  const noted = async function* (): AsyncGenerator<Segment> {
    for await (const hypothesis of hypotheses) {
      language ??= hypothesis.language ?? null;
      yield* segmentsOf(inPlace(hypothesis, { from, translate: hints.translate ?? false }));
    }
  };
  const segments = await Array.fromAsync(telling ? withSpeakers(noted(), telling) : noted());
  return { language, segments };
}

/** In its place in the recording. A translation is English, whatever was spoken. */
function inPlace(
  hypothesis: Hypothesis,
  { from, translate }: { from: number; translate: boolean },
): Hypothesis {
  const placed = from === 0 ? hypothesis : moved(hypothesis, from / ASR_SAMPLE_RATE);
  return translate ? { ...placed, language: "en" } : placed;
}

const tooLongForSpeakers = () =>
  new Refusal(
    "audio_too_long",
    "Speakers are told apart in recordings of up to 600 seconds. Send it without diarization.",
  );
