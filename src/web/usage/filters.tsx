/** The filters of usage and requests, kept in the address. */
import { Fragment, type ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { Button } from "../ui/button.tsx";
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Field } from "../ui/form/form.tsx";
import type { Dimension } from "./aggregate.ts";
import { ENDPOINTS, type Named } from "./endpoint-names.ts";
import { KeyChoice } from "./key-choice.tsx";
import { ENVIRONMENTS, type Names, NO_MODEL } from "./names.ts";

/** Their names in the address and in the management API. */
const FILTER_OF = {
  project: "project_id",
  key: "key_id",
  environment: "environment",
  model: "model",
  endpoint: "endpoint",
  end_user: "end_user",
} as const satisfies Partial<Record<Dimension, string>>;

type Filterable = keyof typeof FILTER_OF;

export type Filters = Partial<Record<(typeof FILTER_OF)[Filterable], string>>;

/** Those of the page of requests alone. */
type LogFilters = { status?: string; label?: string; language?: string };

type Changes = Record<string, string | null>;

/** The search parameters, and a function that changes them; null removes one. */
export function useAddress(): [URLSearchParams, (changes: Changes, options?: { replace: boolean }) => void] {
  const [search, setSearch] = useSearchParams();
  const change = (changes: Changes, options?: { replace: boolean }) =>
    setSearch((before) => {
      const next = new URLSearchParams(before);
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === "") next.delete(name);
        else next.set(name, value);
      }
      return next;
    }, options);
  return [search, change];
}

export function filtersOf(search: URLSearchParams): Filters {
  const entries = Object.values(FILTER_OF).flatMap((name) => {
    const value = search.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The query of the management API, where requests without a model have an empty one. */
export function filterQuery({ environment, ...filters }: Filters): Query {
  const query: Query = { ...filters };
  if (environment === "live" || environment === "test") query.environment = environment;
  if (filters.model === NO_MODEL) query.model = "";
  return query;
}

type Query = Omit<Filters, "environment"> & { environment?: "live" | "test" };

/** Of many, whom no filter tells apart. */
const OTHER_END_USERS = "others";

/** The filter that selects the requests of one group; null: there is none. */
export function filterTo(by: Dimension, id: string): (Filters & LogFilters) | null {
  if (by === "end_user" && id === OTHER_END_USERS) return null;
  if (by === "status" || by === "label" || by === "language") return id === "" ? null : { [by]: id };
  if (by === "voice" || by === "format" || by === "user") return null;
  return { [FILTER_OF[by]]: by === "model" && id === "" ? NO_MODEL : id };
}

/** The address of the matching requests. */
export const requestsHref = (
  organization: string,
  filters: Filters & LogFilters & { start?: number; end?: number },
): string => hrefOf(organization, "requests") + searchOf(filters);

/** `name`: in the address. */
export type Filter = { name: string; label: string; content: ReactNode };

/** Those of usage and requests. */
export function useFilters(names: Names): Filter[] {
  const [search, change] = useAddress();
  const filters = filtersOf(search);
  const set = (by: Filterable) => (value: string) => change({ [FILTER_OF[by]]: value });
  const choice = (by: "project" | "environment" | "endpoint", label: string, options: Named[]) => ({
    ...{ name: FILTER_OF[by], label },
    content: (
      <FilterChoice label={label} value={filters[FILTER_OF[by]] ?? ""} options={options} onChoose={set(by)} />
    ),
  });
  const key = (
    <KeyChoice value={filters.key_id ?? ""} nameOf={(id) => names.nameOf("key", id)} onChoose={set("key")} />
  );
  const endUser = (
    <TextFilter label="End user" maxLength={128} value={filters.end_user ?? ""} onChoose={set("end_user")} />
  );
  return [
    choice("project", "Project", names.projects),
    choice("environment", "Environment", ENVIRONMENTS),
    {
      ...{ name: FILTER_OF.model, label: "Model" },
      content: <ModelFilter value={filters.model ?? ""} onChoose={set("model")} />,
    },
    choice("endpoint", "Endpoint", ENDPOINTS),
    { name: FILTER_OF.key, label: "API key", content: key },
    { name: FILTER_OF.end_user, label: "End user", content: endUser },
  ];
}

/** All of them, side by side. */
export function FilterBar({ names }: { names: Names }) {
  const [search] = useAddress();
  const filters = useFilters(names);
  return (
    <>
      {filters.map(({ name, content }) => (
        <Fragment key={name}>{content}</Fragment>
      ))}
      {filters.some(({ name }) => search.has(name)) && <ClearFilters filters={filters} />}
    </>
  );
}

type ClearFiltersProps = { filters: Filter[]; onClear?: () => void };

export function ClearFilters({ filters, onClear }: ClearFiltersProps) {
  const [, change] = useAddress();
  const clear = () => {
    onClear?.();
    change(Object.fromEntries(filters.map(({ name }) => [name, null])));
  };
  return (
    <Button kind="quiet" onClick={clear}>
      Clear filters
    </Button>
  );
}

type TextFilterProps = {
  label: string;
  maxLength: number;
  placeholder?: string;
  value: string;
  onChoose: (text: string) => void;
};

/** A text in full: there may be thousands. */
export function TextFilter({ label, maxLength, placeholder = "Any", value, onChoose }: TextFilterProps) {
  return (
    <Field
      key={value}
      label={label}
      type="search"
      placeholder={placeholder}
      maxLength={maxLength}
      defaultValue={value}
      autoComplete="off"
      onBlur={({ target }) => target.value.trim() !== value && onChoose(target.value.trim())}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && onChoose(currentTarget.value.trim())}
    />
  );
}

/** Of the models used recently. */
function ModelFilter({ value, onChoose }: { value: string; onChoose: (model: string) => void }) {
  const { id } = useOrganization();
  const { data } = useRead("GET /api/organizations/:organization/usage", {
    ids: { organization: id },
    query: { group_by: "model" },
  });
  const models = new Set((data?.data ?? []).map(({ groups }) => groups.model ?? ""));
  const options = [...models]
    .sort()
    .map((id) => (id === "" ? { id: NO_MODEL, name: "No model" } : { id, name: id }));
  return <FilterChoice label="Model" value={value} options={options} onChoose={onChoose} />;
}
