/** A session under way, as its socket sees it: a transcription, or a conversation. */
import type { Principal } from "../../../accounts/principal.ts";
import type { Clock } from "../../../clock.ts";
import type { Refusal } from "../../../errors.ts";
import type { Holding } from "../../../memory/budget.ts";
import type { CatalogueFor } from "../../../models/live-catalogue.ts";
import type { Session } from "../../../realtime/session.ts";
import type { Client, SessionRunner, Timing, TurnDetector } from "../../../realtime/session-runner.ts";
import type { VadStreams } from "../../../realtime/vad-streams.ts";
import type { LiveRecognizer } from "../../../transcription/live.ts";
import type { StreamBilling } from "../../../usage/live-billing.ts";
import type { Work } from "../../../usage/work.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import type { Opening } from "./handshake.ts";

export type EventContext = {
  isOver(): boolean;
  /** A charge was refused while the session went on. */
  refuse(reason: unknown): void;
};

export type LiveSession = {
  session: Session;
  runner: SessionRunner;
  work: Work;
  billing: StreamBilling;
  principal: Principal;
  /** A frame as an event. Throws a refusal for what is none. */
  parse(frame: Frame): Record<string, unknown> & { type: string };
  /** Does what an event of the client asks for. Throws a refusal for what is wrong with it. */
  apply(event: Record<string, unknown> & { type: string }, context: EventContext): Promise<void>;
  /** Whether the session goes on after this refusal of a frame. */
  forgives(refusal: Refusal, frame: Frame | null): boolean;
  /** Whether an event is what the client waits for: the first one is the first byte of the request. */
  answers(type: string): boolean;
  /** Resolves once all that it charged beside its audio is durable, or has failed. */
  settled(): Promise<void>;
};

/** The socket's side of a session: where events go. */
export type Connection = Omit<Client, "organization"> & {
  /** Bytes that the client has not taken. */
  unreadBytes(): number;
};

/** What a session of either kind is opened with. */
export type OpeningDeps = {
  catalogueFor: CatalogueFor;
  vadStreams: VadStreams;
  live: LiveRecognizer;
  turnDetector: TurnDetector;
  clock: Clock;
};

/** A request that may open a session. `stored`: the settings that its client secret was minted with. */
export type Admitted = {
  opening: Opening;
  connection: Connection;
  principal: Principal;
  stored: object;
  work: Work;
  /** What it holds in memory, until its socket is gone. */
  holding: Holding;
  sessionId: string;
  /** In Unix seconds. */
  expiresAt: number;
};

/** How long its callers waited for their text goes into the log of requests. */
export const timingOf = (work: Pick<Work, "note">, clock: Clock): Timing => ({
  now: clock.now,
  waited: (finalTextMs) => work.note({ finalTextMs }),
});

/** Opens a session that is no transcription; null where the client asks for one. */
export type OpenConversation = (opening: OpeningDeps, admitted: Admitted) => Promise<LiveSession | null>;
