/** Pages of lists, whose cursor is the id of the last row seen. */
import { Refusal } from "../../../errors.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import { cursorAt, placeOf } from "../../../identity/signed-cursor.ts";
import { pageOf } from "./handler.ts";

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
  const before = cursor === undefined ? null : await placeOf(signatures, cursor, filters);
  if (cursor !== undefined && before === null)
    throw new Refusal("invalid_cursor", "Invalid cursor for this query; omit it to start over.", {
      param: "cursor",
    });
  const rows = await read(before, limit + 1);
  const entries = rows.slice(0, limit);
  const next = rows.length > limit ? await cursorAt(signatures, entries.at(-1)!.id, filters) : null;
  return pageOf(entries, next);
}
