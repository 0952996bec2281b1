/**
 * The request log as a file: every request that the filters match, newest first, read page by page as the file is taken.
 * What the server keeps of it meanwhile is one page, and the names of projects and keys.
 */
import type { Accounts } from "../../accounts/accounts.ts";
import type { Ledger, RequestRow } from "../../ledger/ledger.ts";
import { requestRecord } from "./request-record.ts";

const ROWS_MAX = 1_000_000;
const PAGE = 200;

export type ExportDeps = {
  ledger: Pick<Ledger, "requestPage">;
  accounts: Pick<Accounts, "project" | "key">;
};
/** `after`: the id of the row that the first follows; null: the newest is the first. */
type Filters = Omit<Parameters<ExportDeps["ledger"]["requestPage"]>[0], "before" | "limit"> & {
  after?: string | null;
};
type Exported = Awaited<ReturnType<ReturnType<typeof rowOf>>>;

/** Pages of rows, each flat, with its time as text, its cost in dollars, and the names of its project and key. */
export async function* exportedRows(
  { ledger, accounts }: ExportDeps,
  { after = null, ...filters }: Filters,
): AsyncGenerator<Exported[]> {
  const toRow = rowOf(accounts);
  let before = after;
  for (let count = 0; count < ROWS_MAX; count += PAGE) {
    const rows: RequestRow[] = await ledger.requestPage({ ...filters, before, limit: PAGE });
    if (rows.length > 0) yield await Promise.all(rows.map(toRow));
    if (rows.length < PAGE) return;
    before = rows.at(-1)!.id;
  }
}

function rowOf(accounts: ExportDeps["accounts"]) {
  const projectName = remembered(async (id) => (await accounts.project(id))?.name ?? null);
  const keyName = remembered(async (id) => (await accounts.key(id))?.name ?? null);
  return async (request: RequestRow) => {
    const { object: _object, id, created_at, charges, paid_by, ...row } = requestRecord(request);
    return {
      ...{ id, time: new Date(created_at * 1000).toISOString(), created_at },
      ...row,
      cost_usd: row.cost_micros / 1_000_000,
      charges: charges
        .map(({ model, unit, quantity, cost_micros }) => [model, unit, quantity, cost_micros].join(":"))
        .join(" "),
      paid_by: paid_by.map(({ grant_id, amount_micros }) => `${grant_id}:${amount_micros}`).join(" "),
      project_name: await projectName(row.project_id),
      key_name: await keyName(row.key_id),
    };
  };
}

function remembered(read: (id: string) => Promise<string | null>): (id: string) => Promise<string | null> {
  const known = new Map<string, Promise<string | null>>();
  return (id) => {
    const found = known.get(id) ?? read(id);
    known.set(id, found);
    return found;
  };
}
