/**
 * Pagination cursors: the id of the last row seen, valid for the same filters only.
 *
 *   base64url of [version, id, hash of the filters] . signature
 */
import { hash } from "node:crypto";
import { Refusal } from "../../../errors.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import { pageOf } from "./handler.ts";

const VERSION = 1;
const PAGE = 20;

/** `filters`: everything else that selects the rows of the list. */
type PageRequest = {
  signatures: Signatures;
  filters: unknown;
  limit: number | undefined;
  cursor: string | undefined;
};

/** Reads a page with `read`, which returns up to `limit` rows after an id. */
export async function page<T extends { id: string }>(
  { signatures, filters, limit = PAGE, cursor }: PageRequest,
  read: (before: string | null, limit: number) => Promise<T[]>,
) {
  const filterHash = hash("sha256", JSON.stringify(filters), "base64url").slice(0, 16);
  const before = cursor === undefined ? null : await idOf(signatures, cursor, filterHash);
  const rows = await read(before, limit + 1);
  const entries = rows.slice(0, limit);
  const next = rows.length > limit ? await cursorAt(signatures, entries.at(-1)!.id, filterHash) : null;
  return pageOf(entries, next);
}

async function cursorAt(signatures: Signatures, id: string, filterHash: string): Promise<string> {
  const text = Buffer.from(JSON.stringify([VERSION, id, filterHash])).toString("base64url");
  return `${text}.${await signatures.sign("cursor", text)}`;
}

async function idOf(signatures: Signatures, cursor: string, filterHash: string): Promise<string> {
  const [text = "", signature = ""] = cursor.split(".");
  if (await signatures.verify("cursor", text, signature)) {
    const [version, id, sameHash] = JSON.parse(Buffer.from(text, "base64url").toString());
    if (version === VERSION && sameHash === filterHash) return id;
  }
  throw new Refusal("invalid_cursor", "Invalid cursor for this query; omit it to start over.", {
    param: "cursor",
  });
}
