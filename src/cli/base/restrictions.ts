/** Options that restrict a key or a project, and how what they come to is printed. */
import { type Command, InvalidArgumentError } from "@commander-js/extra-typings";
import type { BudgetUse } from "../../budget-use.ts";
import { type NewRestrictions, RestrictionsFields } from "../../restrictions.ts";
import { checker } from "../../schema.ts";
import { type Column, UsageError } from "./output.ts";
import { dollarAmount, formatDollars, wholeNumber } from "./values.ts";

const INTERVALS = ["day", "week", "month", "total"] as const;
const NONE = "none"; // not null: the parser turns null into ""

const orNone =
  <T>(parse: (text: string) => T) =>
  (text: string): T | typeof NONE =>
    text === NONE ? NONE : parse(text);

function budgetOf(text: string) {
  const [amount = "", name = "month", ...more] = text.split("/");
  const interval = INTERVALS.find((each) => each === name);
  if (interval === undefined || more.length > 0)
    throw new InvalidArgumentError(
      `Expected an amount in US dollars and one of ${INTERVALS.join(", ")}, such as 20/month.`,
    );
  return { limit_micros: dollarAmount(amount), interval };
}

const listOf = (text: string): string[] =>
  text.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));

/** Of keys only. */
export const networksOrNone = orNone(listOf);

/** Each with "none", which removes it. */
export const restricting = <Args extends unknown[], Opts extends Record<string, unknown>>(
  command: Command<Args, Opts>,
) =>
  command
    .option(
      "--budget <amount|none>",
      "what may be used, at list price: 20/month, 5/day, 100/total",
      orNone(budgetOf),
    )
    .option("--requests <number|none>", "requests a minute", orNone(wholeNumber))
    .option("--concurrency <number|none>", "requests at once", orNone(wholeNumber))
    .option("--characters <number|none>", "characters to synthesize a minute", orNone(wholeNumber))
    .option("--seconds <number|none>", "seconds of audio to transcribe a minute", orNone(wholeNumber))
    .option("--models <ids|none>", "the only models, with commas between them", orNone(listOf))
    .option("--voices <ids|none>", "the only voices, with commas between them", orNone(listOf))
    .option(
      "--restrictions <json|none>",
      "all of them at once, as the management API has them",
      orNone(restrictionsIn),
    );

type Named = string[] | typeof NONE | undefined;
type Limit = number | typeof NONE | undefined;

/** What the options say; undefined: nothing. */
export type Restricting = {
  budget?: ReturnType<typeof budgetOf> | typeof NONE | undefined;
  requests?: Limit;
  concurrency?: Limit;
  characters?: Limit;
  seconds?: Limit;
  models?: Named;
  voices?: Named;
  addresses?: Named;
  restrictions?: NewRestrictions | typeof NONE | undefined;
};

const fields = checker(RestrictionsFields);

export function restrictionsIn(text: string): NewRestrictions {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(
      'Expected JSON, such as {"budget": {"limit_micros": 20000000, "interval": "month"}}.',
    );
  }
  const checked = fields.check(value);
  if (checked.details === null) return checked.value;
  const [{ field, message } = { field: "", message: "is not valid" }] = checked.details;
  throw new InvalidArgumentError(`${field || "It"} ${message}.`);
}

/** `before`, with what the options say; undefined where they say nothing. */
export function restrictionsOf(
  options: Restricting,
  before: NewRestrictions | null = null,
): NewRestrictions | null | undefined {
  const { budget, requests, concurrency, characters, seconds, models, voices, addresses, restrictions } =
    options;
  const all = [budget, requests, concurrency, characters, seconds, models, voices, addresses, restrictions];
  if (all.every((each) => each === undefined)) return undefined;
  const base = restrictions === undefined ? before : restrictions === NONE ? null : restrictions;
  const limits = {
    ...base?.limits,
    ...said("requests_per_minute", requests),
    ...said("concurrent_requests", concurrency),
    ...said("tts_characters_per_minute", characters),
    ...said("stt_seconds_per_minute", seconds),
  };
  const named = (ids: Named) => (Array.isArray(ids) ? { mode: "allow_list" as const, ids } : ids);
  return checkedAgain({
    ...base,
    ...said("budget", budget),
    limits,
    ...said("models", named(models)),
    ...said("voices", named(voices)),
    ...said("addresses", addresses),
  });
}

const said = (name: string, value: unknown): object =>
  value === undefined ? {} : { [name]: value === NONE ? null : value };

/** Options may say more than the fields take, such as 0 requests. */
function checkedAgain(value: object): NewRestrictions {
  const checked = fields.check(value);
  if (checked.details === null) return checked.value;
  const [{ field, message } = { field: "", message: "" }] = checked.details;
  throw new UsageError(`${field} ${message}.`);
}

const A_MINUTE = {
  requests_per_minute: "requests a minute",
  concurrent_requests: "requests at once",
  tts_characters_per_minute: "characters a minute",
  stt_seconds_per_minute: "seconds of audio a minute",
} as const;

/** In a line. */
export function describeRestrictions(restrictions: NewRestrictions | null): string {
  const { budget, limits, models, voices, addresses } = restrictions ?? {};
  const amount = budget ? `${formatDollars(budget.limit_micros)} ${INTERVAL[budget.interval]}` : [];
  const limited = Object.entries(A_MINUTE).flatMap(([name, what]) => {
    const most = limits?.[name as keyof typeof A_MINUTE];
    return most ? `${most} ${what}` : [];
  });
  const named = (what: string, list: typeof models) =>
    list
      ? `${list.mode === "allow_list" ? "only" : "all but"} the ${what} ${list.ids.join(", ") || NONE}`
      : [];
  const from = addresses ? `only from ${addresses.join(", ") || "nowhere"}` : [];
  const parts = [amount, limited, named("models", models), named("voices", voices), from].flat();
  return parts.length > 0 ? parts.join("; ") : "not restricted";
}

const INTERVAL = { day: "a day", week: "a week", month: "a month", total: "in total" };

type Budgeted = { restrictions: NewRestrictions | null; budget_period: BudgetUse | null };

/** A column of what is used of budgets, where one of the rows has one. */
export const budgetColumns = <R extends Budgeted>(rows: R[]): Column<R>[] =>
  rows.some((row) => row.budget_period) ? [{ title: "BUDGET USED", text: describeUse }] : [];

function describeUse({ restrictions, budget_period: period }: Budgeted): string {
  const budget = restrictions?.budget;
  if (!budget || !period) return "";
  const of = `${formatDollars(period.used_micros)} of ${formatDollars(budget.limit_micros)} ${INTERVAL[budget.interval]}`;
  return period.state === "within" ? of : `${of} (${period.state})`;
}
