/**
 * A signed cookie that marks a browser which has signed in to an account. It grants no access: its attempts are counted
 * apart, so that attempts by others never lock the account's owner out.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { randomText } from "../ids.ts";

export const DEVICE_COOKIE = "svc_device";
const FORM = /^[0-9A-Za-z]{22}\.[\w-]{43}\.[\w-]{43}$/;
const LENGTH = 22 + 1 + 43 + 1 + 43;
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `account`: an HMAC of its e-mail address, which the cookie does not reveal. */
export type Device = { id: string; account: string };

export const isDeviceOf = (device: Device | null, email: string, secret: string): device is Device =>
  device !== null && isSame(device.account, accountOf(email, secret));

/** The browser's present device if it belongs to this account, else a new one. */
export function deviceOf(email: string, secret: string, before: Device | null): Device {
  return isDeviceOf(before, email, secret)
    ? before
    : { id: randomText(BASE62, 22), account: accountOf(email, secret) };
}

export const writeDevice = ({ id, account }: Device, secret: string): string =>
  `${id}.${account}.${signatureOf(`browser:${id}.${account}`, secret)}`;

/** Null for what this server did not write. */
export function readDevice(written: string | null, secret: string): Device | null {
  if (written?.length !== LENGTH || !FORM.test(written)) return null;
  const [id, account, signature] = written.split(".") as [string, string, string];
  return isSame(signature, signatureOf(`browser:${id}.${account}`, secret)) ? { id, account } : null;
}

const accountOf = (email: string, secret: string) => signatureOf(`account:${email.toLowerCase()}`, secret);

const signatureOf = (text: string, secret: string): string =>
  createHmac("sha256", secret).update(text).digest("base64url");

function isSame(signature: string, expected: string): boolean {
  const [one, other] = [Buffer.from(signature), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
