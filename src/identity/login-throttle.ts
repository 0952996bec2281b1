/**
 * How often sign-in and similar routes may be tried within a quarter of an hour. Attempts by others never lock an
 * account's owner out:
 *
 *   attempts by                                      on             limit   beyond it
 *   a browser that has signed in to that account     that account      10   refused; the rows below do not apply
 *   an address                                       any account    10–30   refused
 *   an address                                       one account       10   refused
 *   anyone else                                      one account       10   delayed, 0.2 s more each time, 2 s at most
 *
 * An IPv6 network (/64) is one address. All addresses of a site (/48, or /24 of IPv4) together have ten times the limit of one.
 * Of tokens that cannot be guessed (set-up, mailed links) only wrong ones are counted, by address.
 */
import type { AttemptCounter, Networks } from "./attempt-counter.ts";
import { type Device, isDeviceOf } from "./device-cookie.ts";

const PER_ACCOUNT = 10;
const DELAY_STEP_MS = 200;
const DELAY_MAX_MS = 2000;
const DAY_SECONDS = 86_400;
const NETWORKS_OF_SITE = 10;

/** An attempt on a route. `attemptsMax`: from one network. */
export type LoginAttempt = Networks & { route: string; attemptsMax: number; device: Device | null };

export type LoginThrottle = {
  /** Counts an attempt by its browser or network, before its body is read. */
  countAddress(attempt: LoginAttempt): Promise<void>;
  /** Counts an attempt on an account. */
  countAccount(email: string, attempt: LoginAttempt): Promise<void>;
  /** Counts an attempt by its network within a day. */
  countDay(attemptsMax: number, attempt: LoginAttempt): Promise<void>;
  /** A sign-in succeeded: earlier attempts on the account no longer count. */
  reset(email: string, attempt: LoginAttempt): Promise<void>;
};

export function openLoginThrottle(attempts: AttemptCounter, secret: () => Promise<string>): LoginThrottle {
  const byDevice = ({ id }: Device) => `device ${id}`;
  const countNetworks = countingNetworks(attempts);
  const countNetwork = (attempt: LoginAttempt) =>
    countNetworks(attempt.route, attempt, { most: attempt.attemptsMax });
  const pair = (email: string, { network }: LoginAttempt) => `${network} ${email}`;
  return {
    countAddress: (attempt) =>
      attempt.device
        ? attempts.refuse(attempt.route, byDevice(attempt.device), { most: PER_ACCOUNT })
        : countNetwork(attempt),
    async countAccount(address, attempt) {
      const email = address.toLowerCase();
      if (isDeviceOf(attempt.device, email, await secret())) return;
      if (attempt.device) await countNetwork(attempt); // the cookie belongs to another account
      await attempts.refuse(attempt.route, pair(email, attempt), { most: PER_ACCOUNT });
      const more = (await attempts.count(attempt.route, email)) - PER_ACCOUNT;
      if (more > 0) await Bun.sleep(Math.min(more * DELAY_STEP_MS, DELAY_MAX_MS));
    },
    countDay: (most, attempt) =>
      countNetworks(`${attempt.route} in a day`, attempt, { most, windowSeconds: DAY_SECONDS }),
    async reset(address, attempt) {
      const email = address.toLowerCase();
      const { device } = attempt;
      const subjects = [email, pair(email, attempt), ...(device ? [byDevice(device)] : [])];
      for (const subject of subjects) await attempts.forget(attempt.route, subject);
    },
  };
}

/** One network does not use up the attempts of its site: what it is refused is not counted there. */
const countingNetworks =
  ({ check, refuse }: AttemptCounter) =>
  async (action: string, { network, site }: Networks, bound: Parameters<AttemptCounter["refuse"]>[2]) => {
    const ofSite = { ...bound, most: bound.most * NETWORKS_OF_SITE };
    if (site !== null) await check(action, site, ofSite); // first: a /48 has 65,536 networks to count
    await refuse(action, network, bound);
    if (site !== null) await refuse(action, site, ofSite);
  };
