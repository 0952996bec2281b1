/** A person's authenticator app, and what they do with it in front of a harness. */
import { codeOf } from "../../src/identity/second-factor.ts";
import { forgetAttempts, PASSWORD, type Person } from "../api/management/people.ts";
import type { Harness } from "../harness.ts";

export const STEP_MS = 30_000;

export type Authenticator = {
  /** The code that it shows; `steps`: its clock is that many steps ahead. */
  code(steps?: number): string;
  /** A code that was not used before: waits for the next one. */
  next(): string;
  recoveryCodes: string[];
};

type Prepared = { totpURI: string; backupCodes: string[] };

export function authenticatorOf({ clock }: Harness, { totpURI, backupCodes }: Prepared): Authenticator {
  const secret = secretIn(totpURI);
  const code = (steps = 0) => codeOf(secret, Math.floor(clock.now() / STEP_MS) + steps);
  return {
    code,
    next() {
      clock.pass(STEP_MS);
      return code();
    },
    recoveryCodes: backupCodes,
  };
}

/** The secret of an `otpauth:` address. */
export const secretIn = (totpURI: string): string => fromBase32(new URL(totpURI).searchParams.get("secret")!);

/** Prepares a second factor, without switching it on. */
export const prepare = async (harness: Harness, person: Person): Promise<Authenticator> =>
  authenticatorOf(harness, await person.json("/api/auth/two-factor/enable", { password: PASSWORD }));

/** Switches a second factor on. */
export async function enable(harness: Harness, person: Person): Promise<Authenticator> {
  await forgetAttempts(harness);
  const app = await prepare(harness, person);
  await person.json("/api/auth/two-factor/verify-totp", { code: app.next() });
  return app;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function fromBase32(text: string): string {
  const bits = [...text].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const bytes = bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2));
  return Buffer.from(bytes).toString();
}
