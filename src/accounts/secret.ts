/**
 * Secrets, shown once. API keys: `sk_live_` or `sk_test_` and 40 base-62 characters (238 bits), of which only the
 * SHA-256, the first characters and the last four are kept. Ephemeral ones for browsers: `ek_` and 40 characters. Admin
 * keys: `sk_admin_` and 43 characters.
 */
import { hash } from "node:crypto";
import { randomText } from "../ids.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^sk_(live|test)_[0-9A-Za-z]{40}$/;

export type Environment = "live" | "test";

export function newSecret(environment: Environment): string {
  return `sk_${environment}_${randomText(BASE62, 40)}`;
}

export const newAdminSecret = (): string => `sk_admin_${randomText(BASE62, 43)}`;

export const isAdminSecret = (text: string): boolean => /^sk_admin_[0-9A-Za-z]{43}$/.test(text);

export const newClientSecret = (): string => `ek_${randomText(BASE62, 40)}`;

/** In a link that works once: 190 bits. */
export const newLinkSecret = (): string => randomText(BASE62, 32);

/** With which names of end users are stored: 256 bits. */
export const newEndUserKey = (): string => randomText(BASE62, 43);

/** A temporary password: 119 bits. */
export const newPassword = (): string => randomText(BASE62, 20);

export const isClientSecret = (text: string): boolean => /^ek_[0-9A-Za-z]{40}$/.test(text);

export const isSecret = (text: string): boolean => FORM.test(text);

export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** The same as text, a character a byte: quicker where it only names an entry of a cache. */
export const binaryHash = (secret: string): string => hash("sha256", secret, "binary");

/** The parts of a key that stay visible: "sk_live_Ab3d" and "9xQz". */
export function displayParts(secret: string): { prefix: string; last4: string } {
  return { prefix: secret.slice(0, 12), last4: secret.slice(-4) };
}
