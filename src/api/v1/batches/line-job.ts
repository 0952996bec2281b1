/** Makes the job that a line of a batch asks for, and its answers: as the request of the line would have them. */
import type { BatchRunnerDeps } from "../../../batches/run-batch.ts";
import type { Clock } from "../../../clock.ts";
import { soleClaim } from "../../../engine/runner.ts";
import { invalidInput } from "../../../errors.ts";
import { newId } from "../../../ids.ts";
import { type Jobs, jobIdOf } from "../../../jobs/jobs.ts";
import type { SpeechJobs } from "../../../jobs/speech-jobs.ts";
import { AudioJson } from "../../middleware/body/audio-json.ts";
import { envelope, toFault } from "../../middleware/faults.ts";
import { unlessElsewhere } from "../background-fields.ts";
import { jobRequestOf } from "../jobs/create-job.ts";
import { openSpeechJobRequests } from "../jobs/create-speech-job.ts";
import { writingOf } from "../jobs/result-route.ts";
import { jobWork, transcriptBody } from "../transcriptions.ts";

type LineDeps = Parameters<typeof openSpeechJobRequests>[0] & {
  jobs: Pick<Jobs, "create">;
  speechJobs: Pick<SpeechJobs, "create">;
  clock: Clock;
};

const KINDS = {
  "/v1/audio/transcriptions": "transcribe",
  "/v1/audio/translations": "translate",
} as const;

export function openLineJobs(deps: LineDeps): Pick<BatchRunnerDeps, "makeJob" | "answer" | "written"> {
  const { jobs, speechJobs, catalogueFor, clock } = deps;
  const readSpeech = openSpeechJobRequests(deps);
  return {
    async makeJob(principal, { endpoint, body, line }) {
      const requestId = newId("req", clock);
      const of = { id: jobIdOf(requestId), requestId, line };
      if (endpoint === "/v1/audio/speech") {
        const { organizationId: organization } = principal;
        const claim = { ...soleClaim(), organization, request: requestId };
        const asked = {
          principal,
          body: { ...body, background: true },
          holding: ONE_AT_A_TIME,
          claim,
          note() {},
        };
        const { job } = await readSpeech(asked);
        return speechJobs.create(principal, { ...(await job()), ...of });
      }
      if ("input_audio" in body) throw audioInside();
      const reader = new AudioJson({ hold: () => {}, announcedBytes: 0, noAudio: unlessElsewhere });
      reader.push(new TextEncoder().encode(JSON.stringify({ ...body, background: true })));
      const work = jobWork(catalogueFor(principal), KINDS[endpoint], reader.end().text);
      const { fileId, url } = work.request.background!;
      const input = url === null ? { fileId: fileId! } : { url };
      return jobs.create(principal, { ...jobRequestOf(work), ...of, input });
    },
    answer(refusal, requestId) {
      const fault = toFault(refusal);
      return { status_code: fault.status, request_id: requestId, body: envelope(fault, requestId) };
    },
    written: (job, transcript) => transcriptBody(transcript, writingOf(job)),
  };
}

/** A text is forgotten before the next line is read. */
const ONE_AT_A_TIME = { take() {} };

const audioInside = () =>
  invalidInput([
    {
      ...{ field: "input_audio", code: "malformed" },
      message: "is not read in batches: send the recording as a file, and name it by file_id",
    },
  ]);
