/** Charges and requests to book, whole but for what a test says of them. */
import type { Charge, NewGrant } from "../../../src/ledger/booking/burn-down.ts";
import type { RequestLog } from "../../../src/ledger/booking/write.ts";

/** Unix seconds. */
const CREATED_AT = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;

let sequence = 0;

/** On the second of January 2026, one character for each micro. */
export function chargeOf(parts: Partial<Charge> = {}): Charge {
  const requestId = parts.requestId ?? `req_${++sequence}`;
  return {
    id: `${requestId}.0`,
    plan: "prepaid",
    organizationId: "org",
    projectId: "proj",
    keyId: "key",
    environment: "test",
    requestId,
    endpoint: "/v1/audio/speech",
    model: "svc-tts1",
    unit: "character",
    quantity: parts.costMicros ?? 1,
    priceMicros: 1_000_000,
    costMicros: 1,
    createdAt: CREATED_AT,
    ...parts,
  };
}

/** A purchase of the organization, on the second of January 2026. */
export const grantOf = (parts: Partial<NewGrant> & Pick<NewGrant, "amountMicros">): NewGrant => ({
  id: "grant",
  organizationId: "org",
  kind: "purchase",
  createdAt: CREATED_AT,
  expiresAt: null,
  topUpId: null,
  ...parts,
});

export function requestOf(parts: Partial<RequestLog> = {}): RequestLog {
  return {
    id: `req_${++sequence}`,
    createdAt: CREATED_AT,
    durationMs: 1,
    firstByteMs: null,
    endpoint: "/v1/audio/speech",
    method: "POST",
    status: 200,
    errorCode: null,
    errorMessage: null,
    organizationId: "org",
    projectId: "proj",
    keyId: "key",
    environment: "test",
    model: null,
    voice: null,
    stream: false,
    responseFormat: null,
    characters: null,
    audioSeconds: null,
    ...{ responses: null, inputTokens: null, outputTokens: null },
    costMicros: 0,
    ip: null,
    userAgent: null,
    replayOf: null,
    endUser: null,
    label: null,
    ...{ language: null, finalTextMs: null },
    ...parts,
  };
}

/** The request of a charge, as it is logged with it. */
export const requestFor = ({ requestId, costMicros, ...charge }: Charge, parts: Partial<RequestLog> = {}) =>
  requestOf({
    createdAt: charge.createdAt,
    endpoint: charge.endpoint,
    organizationId: charge.organizationId,
    projectId: charge.projectId,
    keyId: charge.keyId,
    environment: charge.environment,
    model: charge.model,
    costMicros,
    id: requestId,
    ...parts,
  });
