/** A row of the request log as the management API returns it. */
import type { Code } from "../../../errors.ts";
import type { RequestRow } from "../../../ledger/ledger.ts";
import { typeOf } from "../../middleware/faults.ts";

export const requestRecord = ({ payment, ...row }: RequestRow) => ({
  id: row.id,
  object: "request_log" as const,
  created_at: row.createdAt,
  duration_ms: row.durationMs,
  first_audio_ms: row.firstByteMs,
  endpoint: row.endpoint,
  method: row.method,
  status: row.status,
  error_type: row.errorCode === null ? null : typeOf(row.errorCode as Code),
  error_code: row.errorCode,
  error_message: row.errorMessage,
  replay_of: row.replayOf,
  organization_id: row.organizationId,
  project_id: row.projectId,
  key_id: row.keyId,
  environment: row.environment,
  model: row.model,
  voice: row.voice,
  stream: row.stream,
  response_format: row.responseFormat,
  characters: row.characters,
  audio_seconds: row.audioSeconds,
  responses: row.responses,
  input_tokens: row.inputTokens,
  output_tokens: row.outputTokens,
  plan: payment.plan,
  billed_quantity: payment.quantity,
  billed_unit: payment.unit,
  unit_price_micros: payment.priceMicros,
  charges: payment.parts.map(({ model, unit, quantity, priceMicros, costMicros }) => ({
    ...{ model, unit, quantity, unit_price_micros: priceMicros, cost_micros: costMicros },
  })),
  cost_micros: row.costMicros,
  paid_by: payment.burns.map(([grant_id, amount_micros]) => ({ grant_id, amount_micros })),
  overdraft_micros: payment.overdraftMicros,
  ip: row.ip,
  user_agent: row.userAgent,
});
