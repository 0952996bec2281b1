/**
 * What a connection checks once a second: whether the client still answers, whether the session is too old, whether
 * its key may still be used, and whether a closing session takes too long to finish.
 */
import type { Accounts } from "../../accounts/accounts.ts";
import type { Principal } from "../../accounts/principal.ts";
import type { Clock } from "../../clock.ts";
import { Refusal } from "../../errors.ts";
import type { Socket } from "./socket-route.ts";

export const SESSION_SECONDS = 3600;

const PING_MS = 30_000;
const KEY_CHECK_MS = 20_000;
/** How long a closing session may take to send what was committed. */
const CLOSING_MS = 10_000;

/** A session, as far as its age and its key end it. */
type Checked = {
  principal: Pick<Principal, "keyId">;
  isEnding: boolean;
  /** Because the server closes. */
  isClosing: boolean;
  /** Once what was asked for is done. */
  end(refusal: Refusal): void;
  endNow(refusal: Refusal | null): void;
};

type KeepAliveDeps = { clock: Clock; accounts: Accounts; socket: Pick<Socket, "ping" | "terminate"> };

export class KeepAlive {
  readonly #deps: KeepAliveDeps;
  readonly #due: { pingMs: number; keyMs: number; endMs: number; giveUpMs: number | null };
  /** Whether anything arrived since the last ping. */
  #isAlive = true;

  constructor(deps: KeepAliveDeps) {
    this.#deps = deps;
    const now = deps.clock.now();
    this.#due = {
      pingMs: now + PING_MS,
      keyMs: now + KEY_CHECK_MS,
      endMs: now + SESSION_SECONDS * 1000,
      giveUpMs: null,
    };
  }

  /** Something arrived from the client. */
  received(): void {
    this.#isAlive = true;
  }

  /**
   * Pings when it is time, and returns false where the last ping was not answered. While the server itself is not
   * reading, an answer cannot arrive, and none is required.
   */
  ping(isReading: boolean): boolean {
    const now = this.#deps.clock.now();
    if (now < this.#due.pingMs) return true;
    this.#due.pingMs = now + PING_MS;
    if (!this.#isAlive && isReading) {
      this.#deps.socket.terminate();
      return false;
    }
    this.#isAlive = false;
    this.#deps.socket.ping();
    return true;
  }

  check(session: Checked): void {
    const now = this.#deps.clock.now();
    if (session.isEnding) {
      if (session.isClosing) return; // the server decides how long it waits
      this.#due.giveUpMs ??= now + CLOSING_MS;
      if (now >= this.#due.giveUpMs) session.endNow(null);
    } else if (now >= this.#due.endMs) {
      const message = "Your session hit the maximum duration of 60 minutes.";
      session.end(new Refusal("session_expired", message));
    } else if (now >= this.#due.keyMs) {
      this.#due.keyMs = now + KEY_CHECK_MS;
      void this.checkKey(session);
    }
  }

  /** Ends the session if its key may no longer be used. A failed check counts as valid: the next one follows soon. */
  async checkKey({ principal, endNow }: Pick<Checked, "principal" | "endNow">): Promise<void> {
    const refusal = await this.#deps.accounts.endOfKey(principal.keyId).catch(() => null);
    if (refusal) endNow(refusal);
  }
}
