/** What answers a route of the contract: a function of who calls and what they sent, both checked before. */
import type { Session } from "../account/identity.ts";
import type { Role } from "../account/memberships.ts";
import type { BodyOf, Ids, QueryOf, ReplyOf, Route, Routes } from "../contract/route.ts";

/** Whoever is not signed in, somebody, or somebody in an organization and what they are there. */
type Caller<R extends Route> = R["needs"] extends "anyone"
  ? { session: null }
  : R["needs"] extends "user" | "operator"
    ? { session: Session }
    : { session: Session; role: Role; organizationId: string };

/** `ids` are those of the path; the first one is known to belong to the caller's organization, others are not. */
type Call<R extends Route, Path extends string = string> = Caller<R> & {
  ids: Ids<Path>;
  query: QueryOf<R>;
  body: BodyOf<R>;
};

/** Nothing, where the route has no reply. */
type Answer<R extends Route> = undefined extends ReplyOf<R> ? Promise<void> : Promise<ReplyOf<R>>;

export type Handlers<C extends Routes> = {
  [Path in keyof C & string]: (call: Call<C[Path], Path>) => Answer<C[Path]>;
};

/** All there is, in one page. */
export const listed = <T>(data: T[]) => pageOf(data, null);

/** A page, and where the next one begins; null where there is none. */
export const pageOf = <T>(data: T[], next: string | null) => ({
  object: "list" as const,
  data,
  has_more: next !== null,
  next_cursor: next,
});
