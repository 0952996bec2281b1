/** Pages of lists, whose cursor is the place of the last row seen: its id, unless said otherwise. */
import { Refusal } from "../../../errors.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import { cursorAt, placeOf as placeIn } from "../../../identity/signed-cursor.ts";
import { pageOf } from "./handler.ts";

const PAGE = 20;

/** `filters`: everything else that selects the rows of the list. */
type PageRequest<T> = {
  signatures: Signatures;
  filters: unknown;
  limit: number | undefined;
  cursor: string | undefined;
  placeOf?: (row: T) => string;
};

/** Reads a page with `read`, which returns up to `limit` rows after a place. */
export async function page<T extends { id: string }>(
  { signatures, filters, limit = PAGE, cursor, placeOf = ({ id }) => id }: PageRequest<T>,
  read: (before: string | null, limit: number) => Promise<T[]>,
) {
  const before = cursor === undefined ? null : await placeIn(signatures, cursor, filters);
  if (cursor !== undefined && before === null)
    throw new Refusal("invalid_cursor", "Invalid cursor for this query; omit it to start over.", {
      param: "cursor",
    });
  const rows = await read(before, limit + 1);
  const entries = rows.slice(0, limit);
  const next = rows.length > limit ? await cursorAt(signatures, placeOf(entries.at(-1)!), filters) : null;
  return pageOf(entries, next);
}
