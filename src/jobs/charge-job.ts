/** Charges what jobs have done. The ledger books an id once, however often it is sent. */
import type { Principal } from "../accounts/principal.ts";
import { type Clock, unixSeconds } from "../clock.ts";
import type { JobRow, JobRows } from "../db/queries/job-rows.ts";
import { type Charge, costOf } from "../ledger/booking/burn-down.ts";
import type { RequestLog } from "../ledger/booking/write.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { budgetsAt } from "../restrictions.ts";
import { labelIn, logRow } from "../usage/request-log.ts";
import { chaptersOf, charactersPaid, owedIn, secondsOfSound } from "./job-chapters.ts";
import { secondsIn } from "./job-recording.ts";
import { Superseded } from "./superseded.ts";

export type ChargingDeps = {
  rows: Pick<JobRows, "paid">;
  ledger: Pick<Ledger, "charge" | "request">;
  /** Called after a charge that was deducted. */
  charged: (organizationId: string) => void;
  clock: Clock;
  metrics: Metrics;
};

const ENDPOINTS = {
  transcription: "/v1/audio/transcriptions",
  translation: "/v1/audio/translations",
  speech: "/v1/audio/speech",
} as const satisfies Record<JobRow["kind"], string>;

/** Returns what it costs. */
export const chargeRecording = (deps: ChargingDeps, job: JobRow, principal: Principal): Promise<number> => {
  const quantity = secondsIn(job);
  return charge(deps, job, {
    principal,
    id: job.id,
    unit: "second",
    quantity,
    seen: { audioSeconds: quantity },
  });
};

/** The chapter that is encoded, once, whose id is the job's and its number. Returns the row as it is now. */
export async function payChapter(deps: ChargingDeps, job: JobRow, principal: Principal): Promise<JobRow> {
  const all = chaptersOf(job);
  const index = owedIn(all);
  const chapter = all[index]!;
  const quantity = chapter.characters;
  chapter.isPaid = true;
  const seconds = all.reduce((sum, { isPaid, samples }) => sum + (isPaid ? secondsOfSound(samples) : 0), 0);
  const seen = { characters: charactersPaid(all), audioSeconds: seconds };
  const id = `${job.id}.${index + 1}`;
  const micros = await charge(deps, job, { principal, id, unit: "character", quantity, seen });
  const paid = { chapters: JSON.stringify(all), costMicros: job.costMicros + micros };
  if (!(await deps.rows.paid(job.id, paid))) throw new Superseded();
  const { model } = job;
  deps.metrics.add("loquat_audio_seconds_total", secondsOfSound(chapter.samples), {
    direction: "out",
    model,
  });
  return { ...job, ...paid, isRecognized: false };
}

/** `seen`: by the request's row, of all that its job has done. */
type Done = Pick<Charge, "id" | "unit" | "quantity"> & {
  principal: Principal;
  seen: Partial<Pick<RequestLog, "characters" | "audioSeconds">>;
};

async function charge(
  { ledger, charged, clock }: ChargingDeps,
  job: JobRow,
  { id, unit, quantity, principal, seen }: Done,
): Promise<number> {
  const { caps } = principal;
  const { plan, organizationId, projectId, keyId, environment, requestId, model, priceMicros } = job;
  const createdAt = unixSeconds(clock);
  const input: Charge = {
    ...{ id, plan, organizationId, projectId, keyId, environment, requestId, model, priceMicros, createdAt },
    ...{ endpoint: ENDPOINTS[job.kind], unit, quantity },
    costMicros: costOf(quantity, priceMicros),
    ...(caps.length > 0 && { budgets: budgetsAt(caps, createdAt).periods }),
  };
  const request = (await requestLogOf(ledger, job)) ?? lineLog(job, principal, input);
  const { costMicros } = await ledger.charge(input, request && { ...request, ...seen });
  if (plan === "prepaid") charged(organizationId);
  return costMicros;
}

/** The row of a line of a batch, which no request has made; undefined: the job is of none. */
function lineLog(
  job: JobRow,
  principal: Principal,
  { createdAt, costMicros }: Charge,
): RequestLog | undefined {
  if (job.batchId === null) return undefined;
  const { requestId: id, kind, model, responseFormat } = job;
  return logRow(
    {
      id,
      principal,
      endpoint: ENDPOINTS[kind],
      method: "POST",
      bucket: "seconds",
      ip: null,
      userAgent: null,
    },
    {
      label: labelIn(JSON.parse(job.metadata)),
      ...{ model, responseFormat, status: 200, errorCode: null, replayOf: null, costMicros },
      ...{ createdAt: job.createdAt, durationMs: (createdAt - job.createdAt) * 1000, firstByteMs: null },
    },
  );
}

/** The row of the request that made the job, which shows the cost; undefined where it was deleted since. */
async function requestLogOf(
  ledger: Pick<Ledger, "request">,
  { organizationId, requestId }: JobRow,
): Promise<RequestLog | undefined> {
  const row = await ledger.request(organizationId, requestId);
  if (row === null) return undefined;
  const { payment: _, ...log } = row;
  return log;
}
