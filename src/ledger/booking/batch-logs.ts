/** The request logs that a batch of writes changes. Pure. */
import type { UsageEvent } from "./burn-down.ts";
import { nameOf, type RequestEnd, type RequestLog } from "./write.ts";

/** Each by the name of its request. */
export type Logs = {
  /** As they were loaded. */
  known: Map<string, RequestLog>;
  /** To be saved whole. */
  logs: Map<string, RequestLog>;
  ends: Map<string, RequestEnd>;
};

/** The last log of a request wins, except for its cost, which is what was charged. */
export function noteRequest(logs: Logs, log: RequestLog, chargedMicros: number): void {
  const before = logIn(logs, nameOf(log));
  const costMicros = before ? before.costMicros + chargedMicros : log.costMicros;
  putLog(logs, { ...log, costMicros });
}

/** The row of a request that this batch does not change otherwise is not loaded for it. */
export function endRequest(logs: Logs, end: RequestEnd): void {
  const log = logs.logs.get(nameOf(end));
  if (log) putLog(logs, { ...log, ...end });
  else logs.ends.set(nameOf(end), end);
}

/** As the batch has it so far. */
function logIn({ logs, known, ends }: Logs, name: string): RequestLog | undefined {
  const stored = known.get(name);
  return logs.get(name) ?? (stored && { ...stored, ...ends.get(name) });
}

function putLog({ logs, ends }: Logs, log: RequestLog): void {
  logs.set(nameOf(log), log);
  ends.delete(nameOf(log));
}

/** Takes what a charge gave back from the cost of its request. */
export function unnote(logs: Logs, { organizationId, requestId, costMicros }: UsageEvent): void {
  const log = logIn(logs, nameOf({ organizationId, id: requestId }));
  if (log) putLog(logs, { ...log, costMicros: log.costMicros - costMicros });
}
