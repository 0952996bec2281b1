/**
 * What a dialect is: another vendor's API in front of the same models, keys, limits and ledger. It parses requests and frames
 * answers; work, money and refusals are those of every interface.
 */
import type { AnyElysia } from "elysia";
import type { DialectName } from "../../config/dialects.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Pronunciations, SpeechServices } from "../../metered/speech.ts";
import type { TranscriptionServices } from "../../metered/transcription.ts";
import type { Guard } from "../../net/guarded-request.ts";
import type { Limits } from "../../plans.ts";
import type { Consents } from "../../voices/consents.ts";
import type { OwnVoices } from "../../voices/voices.ts";
import type { BodyTimeouts } from "../middleware/body/body.ts";
import type { Authentication } from "../middleware/caller.ts";
import type { Fault } from "../middleware/faults.ts";
import type { MeteredRoutes } from "../middleware/metering.ts";
import type { SocketRoutes } from "../sockets/socket-route.ts";
import type { CallDeps } from "../v1/realtime/call.ts";

export type Dialect = {
  /** Also the first segment of its addresses, such as /elevenlabs/v1/models. */
  name: DialectName;
  /** The first two segments of addresses that are of this dialect alone: they need no name before them. */
  own: readonly string[];
  /** Those that the server's own API has too: of this dialect where the headers say so. */
  shared: readonly string[];
  isMeant(headers: Headers): boolean;
  /** Its vendor has names of models and voices, which every organization may use here. */
  namesModels: boolean;
  /** The API key of a request. Throws where there is none. */
  secretOf(headers: Headers): string;
  errorBody(fault: Fault, requestId: string): object;
  /** Below its name. */
  routes(services: DialectServices): AnyElysia;
};

/** `access` and `metered` read the key as the dialect sends it. `machine`: the limits of unmetered organizations. */
export type DialectServices = SpeechServices &
  TranscriptionServices & {
    access: Authentication;
    metered: MeteredRoutes;
    ledger: Ledger;
    pronunciations: Pronunciations;
    ownVoices: OwnVoices & { consents: Consents };
    timeouts: BodyTimeouts;
    unreadMs: number;
    machine: Limits;
    sockets: SocketRoutes;
    /** Of requests to addresses that callers name. */
    guard: Guard;
  } & Omit<CallDeps, "share" | "protocol" | "openConversation">;

/** The secret of a header that says how it is sent, such as `Token KEY`; null where it says otherwise. */
export function schemeSecret(headers: Headers, scheme: string): string | null {
  const [said, secret, ...more] = (headers.get("authorization") ?? "").trim().split(/ +/);
  return said?.toLowerCase() === scheme && secret && more.length === 0 ? secret : null;
}
