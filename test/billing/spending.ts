/** A request of an organization that cost something, as the ledger is told of one. */
import type { Ledger } from "../../src/ledger/ledger.ts";

type Spent = { id: string; organizationId: string; costMicros: number; createdAt: number };

export async function spend(ledger: Ledger, { id, ...spent }: Spent): Promise<void> {
  const of = { projectId: "proj_1", keyId: "key_1", environment: "live" as const, plan: "prepaid" as const };
  const what = { endpoint: "/v1/audio/speech", model: "m", ...of, ...spent };
  await ledger.charge(
    { id: `${id}.0`, requestId: id, unit: "character", quantity: 1, priceMicros: 1, ...what },
    {
      ...{
        id,
        method: "POST",
        status: 200,
        errorCode: null,
        errorMessage: null,
        durationMs: 1,
        firstByteMs: 1,
        stream: false,
      },
      ...{
        voice: null,
        responseFormat: null,
        characters: 1,
        audioSeconds: null,
        ...{ responses: null, inputTokens: null, outputTokens: null },
        ip: null,
        userAgent: null,
        replayOf: null,
        endUser: null,
        label: null,
        ...{ language: null, finalTextMs: null },
      },
      ...what,
    },
  );
}
