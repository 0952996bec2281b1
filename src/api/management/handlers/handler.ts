/** What answers a route of the contract: a function of who calls and what they sent, both checked before; and what it stands on. */
import type { Accounts } from "../../../accounts/accounts.ts";
import type { Role } from "../../../accounts/memberships.ts";
import type { Session } from "../../../accounts/principal.ts";
import type { Billing } from "../../../billing/billing.ts";
import type { Clock } from "../../../clock.ts";
import type { Config } from "../../../config.ts";
import type { EngineRegistry } from "../../../engine/registry.ts";
import { Refusal } from "../../../errors.ts";
import type { Signatures } from "../../../identity/hmac.ts";
import type { Identity } from "../../../identity/identity.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import type { LimitStore } from "../../../limits/limits.ts";
import type { Log } from "../../../log.ts";
import type { Metrics } from "../../../metrics.ts";
import type { Catalogue } from "../../../models/catalogue.ts";
import type { PullQueue } from "../../../models/store/pull-queue.ts";
import type { PublicOrigin } from "../../middleware/public-origin.ts";
import type { BodyOf, Ids, QueryOf, ReplyOf, Route, Routes } from "../schema/route.ts";

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

export type ManagementDeps = {
  config: Config;
  address: PublicOrigin;
  accounts: Accounts;
  identity: Identity;
  billing: Billing;
  ledger: Ledger;
  limits: LimitStore;
  catalogue: Catalogue;
  registry: EngineRegistry;
  pulls: PullQueue;
  metrics: Metrics;
  clock: Clock;
  log: Log;
};

export type HandlerDeps = ManagementDeps & { signatures: Signatures };

/** The same for what is not there and for what is not theirs. */
export const notFound = (kind: string) => new Refusal("not_found", `There is no such ${kind}.`);

/** What the gate has seen may be gone since. */
export function orNotFound<T>(kind: string, row: T | null): T {
  if (row === null) throw notFound(kind);
  return row;
}
