/**
 * Signed places in a list: where the next page begins, valid for the same filters only.
 *
 *   base64url of [version, place, hash of the filters] . signature
 */
import { hash } from "node:crypto";
import type { Signatures } from "./hmac.ts";

const VERSION = 1;

/** `filters`: everything else that selects the rows of the list. */
export async function cursorAt(signatures: Signatures, place: string, filters: unknown): Promise<string> {
  const text = Buffer.from(JSON.stringify([VERSION, place, hashOf(filters)])).toString("base64url");
  return `${text}.${await signatures.sign("cursor", text)}`;
}

/** Null where the cursor was not made here, or for other filters. */
export async function placeOf(
  signatures: Signatures,
  cursor: string,
  filters: unknown,
): Promise<string | null> {
  const [text = "", signature = ""] = cursor.split(".");
  if (!(await signatures.verify("cursor", text, signature))) return null;
  const [version, place, sameHash] = JSON.parse(Buffer.from(text, "base64url").toString());
  return version === VERSION && sameHash === hashOf(filters) ? place : null;
}

const hashOf = (filters: unknown): string =>
  hash("sha256", JSON.stringify(filters), "base64url").slice(0, 16);
