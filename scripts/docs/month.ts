/** A month of an organization's requests, for the pictures of the README and for a benchmark of the dashboard. */
import type { Charge } from "../../src/ledger/booking/burn-down.ts";
import type { Harness } from "../../test/harness.ts";

const DAYS = 30;
const DAY_SECONDS = 86_400;

/** More on weekdays and towards the end. */
export async function fillMonth({
  parts: { accounts, ledger, clock },
  organizationId,
}: Harness): Promise<void> {
  const [project] = await accounts.listProjects(organizationId);
  const nowSeconds = Math.floor(clock.now() / 1000);
  for (let day = 0; day < DAYS; day++) {
    const createdAt = nowSeconds - (DAYS - 1 - day) * DAY_SECONDS;
    const isWeekend = [0, 6].includes(new Date(createdAt * 1000).getUTCDay());
    const count = (isWeekend ? 2 : 7) + Math.round(day / 6) + ((day * 7) % 4);
    for (let index = 0; index < count; index++) {
      const request = { ...requestOf(`req_${day}x${index}`, index), createdAt };
      const { id, endpoint, model, characters, costMicros, environment } = request;
      const owner = { organizationId, projectId: project!.id, keyId: "key_docs" };
      const [unit, quantity] = characters === null ? ["second", 60] : ["character", characters];
      await ledger.charge(
        {
          ...{ id: `${id}.0`, requestId: id, ...owner, environment, endpoint, model, plan: "prepaid" },
          ...{ unit, quantity, priceMicros: 15_000_000, costMicros, createdAt },
        } as Charge,
        { ...request, ...owner },
      );
    }
  }
}

/** Two of three requests are speech, by either model. */
function requestOf(id: string, index: number) {
  const isSpeech = index % 3 !== 0;
  return {
    id,
    durationMs: 180,
    firstByteMs: 60,
    endpoint: isSpeech ? "/v1/audio/speech" : "/v1/audio/transcriptions",
    method: "POST",
    status: 200,
    errorCode: null,
    errorMessage: null,
    environment: "live" as const,
    model: isSpeech ? (index % 2 === 0 ? "svc-tts1" : "svc-tts2") : "svc-stt1",
    voice: isSpeech ? "female-warm" : null,
    stream: false,
    responseFormat: isSpeech ? "mp3" : "json",
    characters: isSpeech ? 900 : null,
    audioSeconds: isSpeech ? null : 60,
    ...{ responses: null, inputTokens: null, outputTokens: null },
    costMicros: isSpeech ? 13_500 : 900,
    ip: null,
    userAgent: null,
    replayOf: null,
    endUser: null,
    label: null,
    ...{ language: null, finalTextMs: null },
  };
}
