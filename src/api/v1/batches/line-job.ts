/** The job that a line of a batch asks for, and its answers: as the request of the line would have them. */
import type { Principal } from "../../../accounts/principal.ts";
import type { BatchRunnerDeps } from "../../../batches/run-batch.ts";
import type { Clock } from "../../../clock.ts";
import { invalidInput } from "../../../errors.ts";
import { newId } from "../../../ids.ts";
import { jobIdOf } from "../../../jobs/jobs.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import { AudioJson } from "../../middleware/body/audio-json.ts";
import { envelope, toFault } from "../../middleware/faults.ts";
import { unlessElsewhere } from "../background-fields.ts";
import { jobRequestOf } from "../jobs/create-job.ts";
import { writingOf } from "../jobs/result-route.ts";
import { jobWork, transcriptBody } from "../transcriptions.ts";

type LineDeps = { catalogueFor: CatalogueFor; clock: Clock };

const KINDS = {
  "/v1/audio/transcriptions": "transcribe",
  "/v1/audio/translations": "translate",
} as const;

export const openLineJobs = ({
  catalogueFor,
  clock,
}: LineDeps): Pick<BatchRunnerDeps, "jobOf" | "answer" | "written"> => ({
  jobOf(principal: Principal, endpoint, body) {
    if ("input_audio" in body) throw audioInside();
    const reader = new AudioJson({ hold: () => {}, announcedBytes: 0, noAudio: unlessElsewhere });
    reader.push(new TextEncoder().encode(JSON.stringify({ ...body, background: true })));
    const work = jobWork(catalogueFor(principal), KINDS[endpoint], reader.end().text);
    const { fileId, url } = work.request.background!;
    const requestId = newId("req", clock);
    const input = url === null ? { fileId: fileId! } : { url };
    return { id: jobIdOf(requestId), requestId, ...jobRequestOf(work), input };
  },
  answer(refusal, requestId) {
    const fault = toFault(refusal);
    return { status_code: fault.status, request_id: requestId, body: envelope(fault, requestId) };
  },
  written: (job, transcript) => transcriptBody(transcript, writingOf(job)),
});

const audioInside = () =>
  invalidInput([
    {
      ...{ field: "input_audio", code: "malformed" },
      message: "is not read in batches: send the recording as a file, and name it by file_id",
    },
  ]);
