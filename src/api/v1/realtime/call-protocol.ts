/** How a client and a session understand each other: what differs between this API and its dialects. */
import type { Refusal } from "../../../errors.ts";
import type { ServerEvent } from "../../../realtime/events.ts";
import * as events from "../../../realtime/events.ts";
import type { Frame } from "../../sockets/frame-queue.ts";
import { audioBytesOf } from "./frames.ts";
import type { Opening } from "./handshake.ts";
import type { LiveSession } from "./live-session.ts";
import { type OpeningConnection, openSession, type SessionDeps } from "./open-session.ts";
import { closeCode, errorFields } from "./socket-errors.ts";

/** What a frame says. */
export type ClientMessage = Record<string, unknown> & { type: string };

export type CallProtocol = {
  open(deps: SessionDeps, opening: Opening, connection: OpeningConnection): Promise<LiveSession>;
  /** The bytes of audio in a frame that was not handled. */
  audioBytes(frame: Frame): Promise<number>;
  /** The error of a session that is not opened. */
  refused(refusal: Refusal, requestId: string): ServerEvent;
  write(event: ServerEvent): string;
  /** How the socket is closed, and the event before; null: the session has just ended, or the server is closing. */
  closing(refusal: Refusal | null): { code: number; reason: string; last?: ServerEvent };
};

export const REALTIME: CallProtocol = {
  open: openSession,
  audioBytes: audioBytesOf,
  refused(refusal, id) {
    const { type, ...fields } = events.error(errorFields(refusal, id), null);
    return { type, event_id: `event_${id.replace(/^req_/, "")}`, ...fields };
  },
  write: (event) => JSON.stringify(event),
  closing: (refusal) => ({ code: closeCode(refusal), reason: refusal?.code ?? "closing" }),
};
