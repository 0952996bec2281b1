/** `loquat org …` and `loquat project …`: who shares quota and credit, and what separates their reports. */
import { parseArgs } from "node:util";
import { type Organization, projectRecord } from "../accounts/organizations.ts";
import { limitsOf, tierOf } from "../limits/limits.ts";
import type { Storage } from "../server/storage.ts";
import { organizationOf, readDollars, readWhole, withStorage } from "./context.ts";
import { printLine, printList, UsageError } from "./output.ts";

const ORG_OPTIONS = {
  requests: { type: "string" },
  concurrency: { type: "string" },
  characters: { type: "string" },
  seconds: { type: "string" },
  monthly: { type: "string" },
  reset: { type: "boolean" },
  json: { type: "boolean", default: false },
} as const;

/** The option of a limit, and its name in an organization's own limits. */
const LIMITS = {
  requests: "requestsPerMinute",
  concurrency: "concurrentRequests",
  characters: "ttsCharactersPerMinute",
  seconds: "sttSecondsPerMinute",
} as const;

const ORG_COLUMNS = ["id", "name", "tier", ...Object.keys(LIMITS), "monthly_spending_limit_micros"];

export async function org(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: ORG_OPTIONS, allowPositionals: true });
  const [verb, name, ...rest] = positionals;
  await withStorage(async (storage) => {
    if (verb === "list" && !name) {
      const all = await storage.accounts.listOrganizations();
      const rows = await Promise.all(all.map((one) => organizationRecord(storage, one)));
      return printList(rows, ORG_COLUMNS, values.json);
    }
    if (!name || rest.length > 0 || (verb !== "create" && verb !== "set-limits"))
      throw new UsageError("org takes create NAME, list, or set-limits ORG_ID.");
    const changed =
      verb === "create"
        ? await storage.accounts.createOrganization(name)
        : await setLimits(storage, name, values);
    const brief = verb === "create" && !values.json;
    printLine(brief ? changed.id : JSON.stringify(await organizationRecord(storage, changed), null, 2));
  });
}

async function setLimits(
  storage: Storage,
  named: string,
  values: Record<string, unknown>,
): Promise<Organization> {
  const { accounts, ledger } = storage;
  const id = await organizationOf(storage, named);
  const own = values.reset ? {} : (await accounts.organization(id))!.limitOverrides;
  const given = Object.entries(LIMITS).flatMap(([option, limit]) =>
    typeof values[option] === "string" ? [[limit, readWhole(`--${option}`, values[option])]] : [],
  );
  const overrides = { ...own, ...Object.fromEntries(given) };
  const changed = await accounts.setLimits(id, Object.keys(overrides).length > 0 ? overrides : null);
  const { monthly } = values;
  if (typeof monthly === "string")
    await ledger.setMonthlyLimit(id, monthly === "none" ? null : readDollars("--monthly", monthly));
  return changed!;
}

async function organizationRecord({ ledger }: Storage, { id, name, limitOverrides }: Organization) {
  const { purchasedMicros, monthlyLimitMicros } = await ledger.credit(id);
  const limits = limitsOf(purchasedMicros, limitOverrides);
  return {
    id,
    object: "organization",
    name,
    tier: tierOf(purchasedMicros),
    ...Object.fromEntries(Object.entries(LIMITS).map(([option, limit]) => [option, limits[limit]])),
    monthly_spending_limit_micros: monthlyLimitMicros,
  };
}

const PROJECT_OPTIONS = { org: { type: "string" }, json: { type: "boolean", default: false } } as const;

export async function project(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, options: PROJECT_OPTIONS, allowPositionals: true });
  const [verb, name, ...rest] = positionals;
  await withStorage(async (storage) => {
    const { accounts } = storage;
    if (verb === "list" && !name) {
      const rows = await accounts.listProjects(await organizationOf(storage, values.org));
      return printList(rows.map(projectRecord), ["id", "name", "status", "is_default"], values.json);
    }
    if (!name || rest.length > 0 || (verb !== "create" && verb !== "archive"))
      throw new UsageError("project takes create NAME, list, or archive PROJECT_ID.");
    const changed =
      verb === "create"
        ? await accounts.createProject(await organizationOf(storage, values.org), name)
        : await accounts.archiveProject(name);
    if (!changed) throw new UsageError(`There is no project ${name}.`);
    printLine(
      values.json ? JSON.stringify(projectRecord(changed), null, 2) : `${changed.id} ${changed.status}`,
    );
  });
}
