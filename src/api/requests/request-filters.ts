/** What selects rows of the request log, and how the APIs name it. */
import type { Accounts } from "../../accounts/accounts.ts";
import { Refusal } from "../../errors.ts";
import { endUserKeyOf } from "../../kept-data.ts";
import type { Dimension, Ledger, LogDimension } from "../../ledger/ledger.ts";
import { isHashed, storedEndUser, storedLabel } from "../../usage/request-log.ts";

export const DIMENSIONS = ["project", "key", "model", "endpoint", "environment"] as const;

/** What requests are grouped by alone, since no sums are kept of it. */
export const LOG_DIMENSIONS = [
  "status",
  "voice",
  "language",
  "format",
  "label",
] as const satisfies LogDimension[];

export type Filtering = {
  project_id?: string;
  key_id?: string;
  environment?: string;
  model?: string;
  endpoint?: string;
};

export function filtersOf({ project_id, key_id, environment, model, endpoint }: Filtering) {
  const values = { project: project_id, key: key_id, environment, model, endpoint };
  const filters: Partial<Record<Dimension, string>> = {};
  for (const name of DIMENSIONS) if (values[name] !== undefined) filters[name] = values[name];
  return filters;
}

type FilterDeps = { accounts: Pick<Accounts, "organization"> };

/** The name of an end user as it is stored, where the query has one. */
export async function endUserIn(
  { accounts }: FilterDeps,
  organizationId: string,
  { end_user: name }: { end_user?: string },
): Promise<string | null> {
  if (name === undefined) return null;
  const organization = await accounts.organization(organizationId);
  if (organization === null) throw new Refusal("not_found", "There is no such organization.");
  const key = endUserKeyOf(organization);
  return key !== null && isHashed(name) ? name : storedEndUser(name, key);
}

type RequestFiltering = Filtering & {
  start?: number;
  end?: number;
  status?: string;
  error_code?: string;
  id?: string;
  end_user?: string;
  label?: string;
  language?: string;
};

type RequestFilters = Omit<Parameters<Ledger["requestPage"]>[0], "before" | "limit">;

export async function requestFiltersOf(
  deps: FilterDeps,
  organizationId: string,
  query: RequestFiltering,
): Promise<RequestFilters> {
  const { start = null, end = null, status = null, error_code: errorCode = null, id = null } = query;
  const label = query.label === undefined ? null : storedLabel(query.label);
  const { language = null } = query;
  const filters = { start, end, status, errorCode, idPrefix: id, label, language, filters: filtersOf(query) };
  return { organizationId, ...filters, endUser: await endUserIn(deps, organizationId, query) };
}
