/**
 * How often somebody may try a door, within a quarter of an hour. Nobody is kept out by the tries of others:
 *
 *   by                                   at                    and then
 *   a browser that has signed in there   that account     10   is refused; nothing below counts it
 *   an address                           any account   10–30   is refused
 *   an address                           one account      10   is refused
 *   whoever else                         one account      10   waits, 0.2 s longer each time, 2 s at most
 */
import type { AttemptCounter } from "./attempt-counter.ts";
import { type Device, isDeviceOf } from "./device-cookie.ts";

const PER_ACCOUNT = 10;
const WAIT_STEP_MS = 200;
const WAIT_MAX_MS = 2000;
const DAY_SECONDS = 86_400;

/** Who comes to which door; `most`: from one address. `network` as `networkOf` has it. */
export type LoginAttempt = { door: string; most: number; network: string; device: Device | null };

export type LoginThrottle = {
  /** Before anything of a request is looked at. */
  arrive(visit: LoginAttempt): Promise<void>;
  /** When it is known whose account is tried. */
  at(email: string, visit: LoginAttempt): Promise<void>;
  /** So many in a day, from one address. */
  inDay(most: number, visit: LoginAttempt): Promise<void>;
  /** Somebody came in: the tries at their account are forgotten. */
  cameIn(email: string, visit: LoginAttempt): Promise<void>;
};

export function openLoginThrottle(attempts: AttemptCounter, secret: () => Promise<string>): LoginThrottle {
  const byDevice = ({ id }: Device) => `device ${id}`;
  const byAddress = (visit: LoginAttempt) => attempts.refuse(visit.door, visit.network, visit);
  const pair = (email: string, { network }: LoginAttempt) => `${network} ${email}`;
  return {
    arrive: (visit) =>
      visit.device
        ? attempts.refuse(visit.door, byDevice(visit.device), { most: PER_ACCOUNT })
        : byAddress(visit),
    async at(given, visit) {
      const email = given.toLowerCase();
      if (isDeviceOf(visit.device, email, await secret())) return;
      if (visit.device) await byAddress(visit); // a mark of another account
      await attempts.refuse(visit.door, pair(email, visit), { most: PER_ACCOUNT });
      const more = (await attempts.count(visit.door, email)) - PER_ACCOUNT;
      if (more > 0) await Bun.sleep(Math.min(more * WAIT_STEP_MS, WAIT_MAX_MS));
    },
    inDay: (most, { door, network }) =>
      attempts.refuse(`${door} in a day`, network, { most, windowSeconds: DAY_SECONDS }),
    async cameIn(given, visit) {
      const email = given.toLowerCase();
      const subjects = [email, pair(email, visit), ...(visit.device ? [byDevice(visit.device)] : [])];
      for (const subject of subjects) await attempts.forget(visit.door, subject);
    },
  };
}
