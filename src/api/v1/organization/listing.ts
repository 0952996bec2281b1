/** Lists of the organization API, as stock clients iterate them: `after` the id of the last item seen. */
import Type, { type TSchema } from "typebox";

const PAGE = 20;

/** The parameters of every list. */
export const PAGED = {
  after: Type.Optional(
    Type.String({
      pattern: "^[\\w.-]{1,100}$",
      description: "The id of the last item of the page before; the list goes on behind it.",
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: `How many items, ${PAGE} unless said.` }),
  ),
};

/** Those of lists that are read in both directions. */
export const PAGED_BOTH_WAYS = {
  ...PAGED,
  before: Type.Optional(
    Type.String({
      pattern: "^[\\w.-]{1,100}$",
      description: "The id of the first item of a page; the list ends before it.",
    }),
  ),
};

export const listOf = (item: TSchema) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    first_id: Type.Union([Type.String(), Type.Null()]),
    last_id: Type.Union([Type.String(), Type.Null()]),
    has_more: Type.Boolean(),
  });

type Paged = { after?: string | undefined; before?: string | undefined; limit?: number | undefined };
type Place = { after: string | null; before: string | null; limit: number };

/**
 * A page of what `read` returns, which gives up to `limit` rows behind the id `after`; where there is a `before`, those ahead of
 * it, the nearest first.
 */
export async function pageOf<T extends { id: string }>(
  { after, before, limit = PAGE }: Paged,
  read: (place: Place) => Promise<T[]>,
) {
  const rows = await read({ after: after ?? null, before: before ?? null, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const data = before === undefined ? page : page.toReversed();
  return {
    object: "list" as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  };
}

/** A page of a short list, in the order of ids, which is that of creation. What was deleted meanwhile shifts nothing. */
export function partOf<T extends { id: string }>(
  rows: readonly T[],
  { after, limit }: Pick<Place, "after" | "limit">,
): T[] {
  const inOrder = rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return inOrder.filter(({ id }) => after === null || id > after).slice(0, limit);
}
