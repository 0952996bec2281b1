/**
 * What a key or a project may use at most, as it is stored and shown. It only ever takes away: the limits and the credit of
 * the organization hold beside it.
 */
import Type, { type Static } from "typebox";
import { Refusal } from "./errors.ts";

const INTERVALS = ["day", "week", "month", "total"] as const;
const MICROS_MAX = 1e15; // a billion dollars
const A_MINUTE_MAX = 1e9;
const NAMES_MAX = 200;
const NETWORKS_MAX = 50;

const nullable = <S extends Type.TSchema>(schema: S, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));
const limit = (description: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: A_MINUTE_MAX }), description);
const strictly = { additionalProperties: false }; // a name that nothing reads would restrict nothing

const Listed = (what: string) =>
  nullable(
    Type.Object(
      {
        mode: Type.Enum(["allow_list", "deny_list"], { description: "Only these, or all but these." }),
        ids: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
          maxItems: NAMES_MAX,
          description: `The ids of ${what}, which need not exist.`,
        }),
      },
      strictly,
    ),
    `Which ${what} may be used.`,
  );

const ofBoth = {
  budget: nullable(
    Type.Object(
      {
        limit_micros: Type.Integer({
          ...{ minimum: 0, maximum: MICROS_MAX },
          description: "Millionths of a dollar, at list price.",
        }),
        interval: Type.Enum([...INTERVALS], {
          description: "In UTC: a week begins on Monday, and a total has no end.",
        }),
      },
      strictly,
    ),
    "What may be spent in each interval.",
  ),
  limits: nullable(
    Type.Object(
      {
        requests_per_minute: limit("Requests a minute."),
        concurrent_requests: limit("Requests at once."),
        tts_characters_per_minute: limit("Characters of speech a minute."),
        stt_seconds_per_minute: limit("Seconds of audio a minute."),
      },
      strictly,
    ),
    "Limits beside those of the organization.",
  ),
  models: Listed("models"),
  voices: Listed("voices"),
};

/** What is absent or null is not restricted. */
export const ProjectRestrictionsFields = Type.Object(ofBoth, strictly);

export const RestrictionsFields = Type.Object(
  {
    ...ofBoth,
    addresses: nullable(
      Type.Array(Type.String({ maxLength: 50 }), { maxItems: NETWORKS_MAX }),
      "The addresses and networks of clients, such as 203.0.113.0/24.",
    ),
  },
  strictly,
);

export type NewRestrictions = Static<typeof RestrictionsFields>;

type Limits = NonNullable<NewRestrictions["limits"]>;
type Named = NonNullable<NewRestrictions["models"]>;

/** `since`: when it was set or reset, in Unix seconds: what was used before does not count. */
export type Budget = NonNullable<NewRestrictions["budget"]> & { since: number };

/** Without what is null. */
export type Restrictions = {
  budget?: Budget;
  limits?: Limits;
  models?: Named;
  voices?: Named;
  addresses?: string[];
};

/** What restricts a request. `subject`: the id of the key or project. `admits`: whether its clients may be there; null: anywhere. */
export type Cap = {
  of: "key" | "project";
  subject: string;
  restrictions: Restrictions;
  admits: ((address: string) => boolean) | null;
};

/** Refuses a client where its key may not be used. */
export function checkAddress(caps: readonly Cap[], address: string | null): void {
  if (caps.every(({ admits }) => admits === null || (address !== null && admits(address)))) return;
  throw new Refusal("address_not_allowed", `This key may not be used at ${address ?? "an unknown address"}.`);
}

/** As they were given. */
export function restrictionsRecord(restrictions: Restrictions | null): NewRestrictions | null {
  if (restrictions === null) return null;
  const { budget, limits = null, models = null, voices = null, addresses = null } = restrictions;
  const shown = budget ? { limit_micros: budget.limit_micros, interval: budget.interval } : null;
  return { budget: shown, limits, models, voices, addresses };
}

const DAY = 86_400;
const MONDAY = -3 * DAY; // the last before 1970

/** When the interval began that is under way then, and when the next one begins. In UTC, as Unix seconds. */
function intervalAt(interval: "day" | "week" | "month", now: number): { start: number; end: number } {
  if (interval === "month") {
    const date = new Date(now * 1000);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { start: Date.UTC(year, month) / 1000, end: Date.UTC(year, month + 1) / 1000 };
  }
  const [seconds, first] = interval === "day" ? [DAY, 0] : [7 * DAY, MONDAY];
  const start = now - ((now - first) % seconds);
  return { start, end: start + seconds };
}

/** When the period of a budget began that is under way then. All in Unix seconds. */
export const startOf = ({ interval, since }: Budget, now: number): number =>
  interval === "total" ? since : Math.max(since, intervalAt(interval, now).start);

/** When it begins again; null: never by itself. */
export const endOf = ({ interval }: Pick<Budget, "interval">, now: number): number | null =>
  interval === "total" ? null : intervalAt(interval, now).end;

/** The period of a budget that is under way, in Unix seconds. */
export type BudgetPeriod = { began_at: number; begins_again_at: number | null };

export const budgetPeriodAt = (restrictions: Restrictions | null, now: number): BudgetPeriod | null =>
  restrictions?.budget
    ? { began_at: startOf(restrictions.budget, now), begins_again_at: endOf(restrictions.budget, now) }
    : null;

/** A cap that has a budget. */
type Budgeted = Cap & { restrictions: { budget: Budget } };

const isBudgeted = (cap: Cap): cap is Budgeted => cap.restrictions.budget !== undefined;

/** Those with a budget, and the periods of their budgets that are under way then. */
type Budgets = { caps: Budgeted[]; periods: [subject: string, start: number][] };

/** By caps, which a request asks for several times, as many others do in the same second. */
const lately = new WeakMap<readonly Cap[], { now: number; budgets: Budgets }>();

export function budgetsAt(caps: readonly Cap[], now: number): Budgets {
  const known = lately.get(caps);
  if (known?.now === now) return known.budgets;
  const budgeted = caps.filter(isBudgeted);
  const periods = budgeted.map(({ subject, restrictions }): [string, number] => [
    subject,
    startOf(restrictions.budget, now),
  ]);
  const budgets = { caps: budgeted, periods };
  lately.set(caps, { now, budgets });
  return budgets;
}

/** What restricts, and what of its budgets is used: `usedMicros` in the order of `budgetsAt`. */
export function capRecords(caps: readonly Cap[], usedMicros: readonly number[], now: number) {
  const budgeted = budgetsAt(caps, now).caps;
  return caps.map((cap) => {
    const { budget, limits = null, models = null, voices = null } = cap.restrictions;
    const used = usedMicros[budgeted.findIndex(({ subject }) => subject === cap.subject)] ?? 0;
    return {
      of: cap.of,
      budget: budget
        ? {
            limit_micros: budget.limit_micros,
            interval: budget.interval,
            used_micros: used,
            begins_again_at: endOf(budget, now),
          }
        : null,
      ...{ limits, models, voices },
    };
  });
}

/** Which models and voices a caller may use. */
export type Permits = {
  model(id: string): boolean;
  voice(id: string): boolean;
  /** `name`: as a refusal calls it. */
  checkModel(id: string, name?: string): void;
  checkVoice(id: string): void;
  /** Where none of what is asked for is left. */
  nothing(what: string): Refusal;
};

/** Null: all. */
export function permitsOf(caps: readonly Cap[]): Permits | null {
  if (!caps.some(({ restrictions }) => restrictions.models || restrictions.voices)) return null;
  const check = (what: "models" | "voices", id: string, name: string) => {
    const cap = caps.find(({ restrictions }) => !isListed(restrictions[what], id));
    if (cap) throw notAllowed(cap, what, name);
  };
  return {
    model: (id) => caps.every(({ restrictions }) => isListed(restrictions.models, id)),
    voice: (id) => caps.every(({ restrictions }) => isListed(restrictions.voices, id)),
    checkModel: (id, name = id) => check("models", id, name),
    checkVoice: (id) => check("voices", id, id),
    nothing(what) {
      const cap = caps.find(({ restrictions }) => restrictions.models || restrictions.voices)!;
      return new Refusal("model_not_allowed", `No ${what} is allowed for this ${cap.of}.`, {
        param: "model",
      });
    },
  };
}

const isListed = (named: Named | undefined, id: string): boolean =>
  named === undefined || named.ids.includes(id) === (named.mode === "allow_list");

function notAllowed({ of, restrictions }: Cap, what: "models" | "voices", name: string): Refusal {
  const { mode, ids } = restrictions[what]!;
  const param = what === "models" ? "model" : "voice";
  const others = mode === "allow_list" ? ids.join(", ") || "none" : `all but ${ids.join(", ")}`;
  const message = `The ${param} ${name} is not allowed for this ${of}. It may use ${others}.`;
  return new Refusal("model_not_allowed", message, { param });
}
