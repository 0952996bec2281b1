/** The form fields of what a key or a project may use at most. */
import type { Reply } from "../api/server.ts";
import { dollarsOf } from "../format/amount.ts";
import { AmountField, amountIn } from "../ui/form/amount-field.tsx";
import { Check, Choice, Field } from "../ui/form/form.tsx";

type Restrictions = Reply<"GET /api/keys/:key">["restrictions"];
type Set = NonNullable<Restrictions>;
type Named = NonNullable<Set["models"]>;

export const INTERVALS = { day: "a day", week: "a week", month: "a month", total: "in total" } as const;
const LIMITS = {
  requests_per_minute: "Requests a minute",
  concurrent_requests: "Requests at once",
  tts_characters_per_minute: "Characters to synthesize a minute",
  stt_seconds_per_minute: "Seconds of audio to transcribe a minute",
} as const;

type CapFieldsProps = {
  of: Restrictions;
  /** Projects have no addresses. */
  hasAddresses: boolean;
  /** Whether a budget can be reset: there was one. */
  isNew: boolean;
};

/** Empty fields restrict nothing. */
export function CapFields({ of, hasAddresses, isNew }: CapFieldsProps) {
  const { budget, limits, models, voices, addresses } = of ?? {};
  return (
    <fieldset>
      <legend>At most</legend>
      <AmountField
        name="budget"
        label="Budget"
        hint="At list price, in UTC. Empty: no budget."
        required={false}
        defaultValue={budget ? dollarsOf(budget.limit_micros) : ""}
      />
      <Choice name="interval" label="Begins again" defaultValue={budget?.interval ?? "month"}>
        {Object.entries(INTERVALS).map(([interval, name]) => (
          <option key={interval} value={interval}>
            {name}
          </option>
        ))}
      </Choice>
      {budget && !isNew && <Check name="reset_budget" label="Begin the budget again now, unused" />}
      {Object.entries(LIMITS).map(([name, label]) => (
        <Field
          key={name}
          name={name}
          label={label}
          type="number"
          min={1}
          max={1_000_000_000}
          defaultValue={limits?.[name as keyof typeof LIMITS] ?? ""}
        />
      ))}
      <NamedFields name="models" label="Models" of={models} />
      <NamedFields name="voices" label="Voices" of={voices} />
      {hasAddresses && (
        <Field
          name="addresses"
          label="Addresses of clients"
          hint="IP addresses or networks such as 203.0.113.0/24, with commas between them. Empty: any."
          autoComplete="off"
          defaultValue={addresses?.join(", ") ?? ""}
        />
      )}
    </fieldset>
  );
}

function NamedFields({ name, label, of }: { name: string; label: string; of: Named | null | undefined }) {
  return (
    <>
      <Choice name={`${name}_mode`} label={label} defaultValue={of?.mode ?? "all"}>
        <option value="all">All</option>
        <option value="allow_list">Only these</option>
        <option value="deny_list">All but these</option>
      </Choice>
      <Field
        name={name}
        label={`${label}, by id`}
        hint="With commas between them."
        autoComplete="off"
        defaultValue={of?.ids.join(", ") ?? ""}
      />
    </>
  );
}

const listIn = (text = ""): string[] => text.split(/[\s,]+/).filter((part) => part !== "");

/** What the fields say. */
export function restrictionsIn(values: Record<string, string>): Set {
  const interval = values.interval as keyof typeof INTERVALS;
  const hasBudget = (values.budget ?? "").trim() !== "";
  const limits = Object.keys(LIMITS).flatMap((name) => (values[name] ? [[name, Number(values[name])]] : []));
  const named = (name: string): Named | null => {
    const mode = values[`${name}_mode`];
    return mode === "allow_list" || mode === "deny_list" ? { mode, ids: listIn(values[name]) } : null;
  };
  const addresses = listIn(values.addresses);
  return {
    budget: hasBudget ? { limit_micros: amountIn(values, { name: "budget" }), interval } : null,
    limits: limits.length > 0 ? (Object.fromEntries(limits) as NonNullable<Set["limits"]>) : null,
    models: named("models"),
    voices: named("voices"),
    ...(addresses.length > 0 && { addresses }),
  };
}

/** What is restricted beside the budget, in a few words; null: nothing. */
export function otherCaps(of: Restrictions): string | null {
  const { limits, models, voices, addresses } = of ?? {};
  const parts = [
    limits ? "limits" : "",
    models ? "models" : "",
    voices ? "voices" : "",
    addresses ? "addresses" : "",
  ];
  return parts.filter((part) => part !== "").join(", ") || null;
}
