/** `loquat org`: organizations, which share quotas and credit, and their limits. */
import { Argument, type Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { DELETED_AFTER_SECONDS } from "../../accounts/organization-deletion.ts";
import { type Organization, statusOf } from "../../accounts/organizations.ts";
import { spendingLimitSet } from "../../audit/audit-events.ts";
import { systemClock, unixSeconds } from "../../clock.ts";
import { readConfig } from "../../config/config.ts";
import {
  FACTOR_RANGE,
  factorIn,
  type Limits,
  limitFault,
  limitsOf,
  machineLimits,
  PLANS,
  RUNNING_JOBS_MAX,
  shownFactors,
  tierOf,
} from "../../plans.ts";
import type { Storage } from "../../server/storage.ts";
import { movePlan } from "../../usage/move-plan.ts";
import { organizationOf, withStorage } from "../base/context.ts";
import { type Column, JSON_OPTION, printJson, printLine, printList } from "../base/output.ts";
import { dollarAmountOrNone, formatDollars, futureDay, wholeNumber } from "../base/values.ts";

/** The option of each limit, and its name in an organization's overrides. */
const LIMITS = {
  requests: "requestsPerMinute",
  concurrency: "concurrentRequests",
  characters: "ttsCharactersPerMinute",
  seconds: "sttSecondsPerMinute",
  waitingJobs: "waitingJobs",
  runningJobs: "runningJobs",
  jobSeconds: "jobSeconds",
  storedBytes: "storedBytes",
} as const satisfies Record<string, keyof Limits>;

const COLUMNS: Column<Awaited<ReturnType<typeof organizationRecord>>>[] = [
  "id",
  { title: "NAME", text: ({ name }) => name, cut: true },
  "status",
  "plan",
  "tier",
  { title: "REQ/MIN", text: ({ requests }) => requests },
  {
    title: "MONTHLY",
    text: ({ monthly_spending_limit_micros: most }) => (most === null ? "none" : formatDollars(most)),
  },
];

export function org(command: Command): void {
  command
    .command("create")
    .description("Create an organization and print its id")
    .argument("<name>", "its name")
    .option(...JSON_OPTION)
    .action((name, { json }) =>
      withStorage(async (storage) => {
        const created = await storage.accounts.createOrganization(name, { plan: readConfig().plan });
        if (json) printJson(await organizationRecord(storage, created));
        else printLine(created.id);
      }),
    );
  command
    .command("list")
    .description("List every organization with its limits")
    .option(...JSON_OPTION)
    .action(({ json }) =>
      withStorage(async (storage) => {
        const all = await storage.accounts.listOrganizations();
        const rows = await Promise.all(all.map((each) => organizationRecord(storage, each)));
        printList(rows, { columns: COLUMNS, json });
      }),
    );
  command
    .command("set-limits")
    .description("Override an organization's limits; prints them as JSON")
    .argument("<id>", "the organization's id")
    .option("--requests <number>", "requests a minute", wholeNumber)
    .option("--concurrency <number>", "requests at once", wholeNumber)
    .option("--characters <number>", "characters to synthesize a minute", wholeNumber)
    .option("--seconds <number>", "seconds of audio to transcribe a minute", wholeNumber)
    .option("--waiting-jobs <number>", "jobs that wait", wholeNumber)
    .option("--running-jobs <number>", `jobs that run at once, 1 to ${RUNNING_JOBS_MAX}`, runningJobs)
    .option("--job-seconds <number>", "seconds that the recording of a job may last", wholeNumber)
    .option("--stored-bytes <number>", "bytes that its files may take", wholeNumber)
    .option("--monthly <dollars|none>", "spending limit a calendar month", dollarAmountOrNone)
    .option("--reset", "remove the overrides that are not given here")
    .option(...JSON_OPTION)
    .action((id, options) =>
      withStorage(async (storage) => {
        const changed = await setLimits(storage, await organizationOf(storage, id), options);
        printJson(await organizationRecord(storage, changed));
      }),
    );
  setPlanCommand(command);
  setPriceFactorCommand(command);
  statusCommands(command);
  deleteCommand(command);
}

function setPlanCommand(command: Command): void {
  command
    .command("set-plan")
    .description("Change an organization's plan; prints it as JSON")
    .argument("<id>", "the organization's id")
    .addArgument(
      new Argument("<plan>", "unmetered: nothing is deducted; prepaid: credit pays").choices(PLANS),
    )
    .option(...JSON_OPTION)
    .action((id, plan) =>
      withStorage(async (storage) => {
        const moved = await movePlan(storage, await organizationOf(storage, id), plan);
        printJson(await organizationRecord(storage, moved!));
      }),
    );
}

function setPriceFactorCommand(command: Command): void {
  command
    .command("set-price-factor")
    .description("Multiply the list prices of a prepaid organization; prints it as JSON")
    .argument("<id>", "the organization's id")
    .argument("<n>", `the factor, ${FACTOR_RANGE}; 0 is a gift`, priceFactor)
    .option(
      "--from <date>",
      "the day, in UTC, on which it begins to hold, such as 2026-12-01",
      futureDay("a factor"),
    )
    .option(...JSON_OPTION)
    .action((id, factor, { from = null }) =>
      withStorage(async (storage) => {
        const named = await organizationOf(storage, id);
        const changed = await storage.accounts.setPriceFactor(named, factor, from);
        printJson(await organizationRecord(storage, changed!));
      }),
    );
}

/** What suspending and resuming do, by the name of the command. */
const STATUSES = {
  suspend: { status: "suspended", text: "Refuse an organization's keys, delete nothing; prints it as JSON" },
  resume: { status: "active", text: "Accept a suspended organization's keys again; prints it as JSON" },
} as const;

function statusCommands(command: Command): void {
  for (const [name, { status, text }] of Object.entries(STATUSES))
    command
      .command(name)
      .description(text)
      .argument("<id>", "the organization's id")
      .option(...JSON_OPTION)
      .action((id) =>
        withStorage(async (storage) => {
          const changed = await storage.accounts.setStatus(await organizationOf(storage, id), status);
          printJson(await organizationRecord(storage, changed!));
        }),
      );
}

function deleteCommand(command: Command): void {
  command
    .command("delete")
    .description(
      "Have the server delete an organization in seven days; its keys are refused at once. Prints it as JSON",
    )
    .argument("<id>", "the organization's id")
    .addOption(new Option("--now", "delete it now, which cannot be undone").conflicts("undo"))
    .addOption(new Option("--undo", "keep it, and accept its keys again"))
    .option(...JSON_OPTION)
    .action((id, { now, undo }) =>
      withStorage(async (storage) => {
        const { accounts } = storage;
        const named = await organizationOf(storage, id);
        const at = unixSeconds(systemClock) + (now ? 0 : DELETED_AFTER_SECONDS);
        const changed = await (undo ? accounts.undoDeletion(named) : accounts.scheduleDeletion(named, at));
        printJson(await organizationRecord(storage, changed!));
      }),
    );
}

function runningJobs(text: string): number {
  const value = wholeNumber(text);
  const fault = limitFault("runningJobs", value);
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`);
  return value;
}

function priceFactor(text: string): number {
  const units = /^\d+(\.\d{1,4})?$/.test(text) ? factorIn(Number(text)) : null;
  if (units === null) throw new InvalidArgumentError(`Expected a number ${FACTOR_RANGE}.`);
  return units;
}

type LimitOptions = { [option in keyof typeof LIMITS]?: number | undefined } & {
  monthly?: number | "none" | undefined;
  reset?: true | undefined;
};

async function setLimits(
  { accounts, ledger, audit }: Storage,
  id: string,
  { monthly, reset, ...limits }: LimitOptions,
): Promise<Organization> {
  const kept = reset ? {} : (await accounts.organization(id))!.limitOverrides;
  const values = Object.entries(LIMITS).flatMap(([option, limit]) => {
    const value = limits[option as keyof typeof LIMITS];
    return value === undefined ? [] : [[limit, value]];
  });
  const overrides = { ...kept, ...Object.fromEntries(values) };
  const changed = await accounts.setLimits(id, Object.keys(overrides).length > 0 ? overrides : null);
  if (monthly !== undefined) {
    const micros = monthly === "none" ? null : monthly;
    await ledger.setMonthlyLimit(id, micros, audit.prepared(spendingLimitSet(id, micros)));
  }
  return changed!;
}

async function organizationRecord({ ledger }: Storage, organization: Organization) {
  const { id, name, plan, deleteAt } = organization;
  const { purchasedMicros, monthlyLimitMicros } = await ledger.credit(id);
  const limits = limitsOf(organization, purchasedMicros, machineLimits(readConfig()));
  return {
    id,
    object: "organization",
    name,
    status: statusOf(organization),
    plan,
    tier: tierOf(purchasedMicros),
    ...shownFactors(organization, unixSeconds(systemClock)),
    ...{ requests: limits.requestsPerMinute, concurrency: limits.concurrentRequests },
    ...{ characters: limits.ttsCharactersPerMinute, seconds: limits.sttSecondsPerMinute },
    ...{ waiting_jobs: limits.waitingJobs, running_jobs: limits.runningJobs },
    ...{ job_seconds: limits.jobSeconds, stored_bytes: limits.storedBytes },
    monthly_spending_limit_micros: monthlyLimitMicros,
    delete_at: deleteAt,
  };
}
