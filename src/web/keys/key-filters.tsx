/** The search, the filters and the order of the list of keys, kept in the address. */

import { FilterChoice, optionsOf } from "../ui/form/filter-choice.tsx";
import { Check, Field, Form } from "../ui/form/form.tsx";
import type { Project } from "./key.ts";

export type Filters = {
  project_id?: string;
  environment?: "live" | "test";
  status?: "active" | "revoked" | "expired";
  search?: string;
  order?: "last_used";
  /** Without it, keys that the playground makes are left out. */
  playground?: "included";
  cursor?: string;
};

/** Ignores unknown parameters and values. */
export function filtersOf(search: URLSearchParams): Filters {
  const oneOf = <const T extends string>(name: string, ...values: T[]): Partial<Record<string, T>> => {
    const value = values.find((each) => each === search.get(name));
    return value ? { [name]: value } : {};
  };
  const text = (name: string) => (search.get(name) ? { [name]: search.get(name)! } : {});
  return {
    ...text("project_id"),
    ...oneOf("environment", "live", "test"),
    ...oneOf("status", "active", "revoked", "expired"),
    ...text("search"),
    ...oneOf("order", "last_used"),
    ...oneOf("playground", "included"),
    ...text("cursor"),
  };
}

/** Whether keys are left out that would be listed without what is chosen. */
export const isNarrow = ({ project_id, environment, status, search, cursor }: Filters): boolean =>
  Boolean(project_id || environment || status || search || cursor);

type KeyFiltersProps = {
  filters: Filters;
  projects: Project[];
  onChange: (search: URLSearchParams) => void;
};

export function KeyFilters({ filters, projects, onChange }: KeyFiltersProps) {
  const change = (name: keyof Filters) => (value: string) => {
    // a cursor is only valid for its own filters
    const { cursor: _, ...kept } = filters;
    const chosen = { ...kept, [name]: value };
    onChange(new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)));
  };
  return (
    <section className="filters" aria-label="Filters">
      <search>
        <Form
          key={filters.search}
          submit="Search"
          kind="plain"
          onSubmit={async ({ search = "" }) => change("search")(search.trim())}
        >
          <Field
            type="search"
            name="search"
            label="Find"
            placeholder="Name, ID or last characters"
            defaultValue={filters.search}
            maxLength={200}
            autoComplete="off"
          />
        </Form>
      </search>
      <FilterChoice
        label="Project"
        value={filters.project_id ?? ""}
        options={projects}
        onChoose={change("project_id")}
      />
      <FilterChoice
        label="Environment"
        value={filters.environment ?? ""}
        options={optionsOf({ live: "Live", test: "Test" })}
        onChoose={change("environment")}
      />
      <FilterChoice
        label="Status"
        value={filters.status ?? ""}
        options={optionsOf({ active: "Active", revoked: "Revoked", expired: "Expired" })}
        onChoose={change("status")}
      />
      <FilterChoice
        label="Sort by"
        value={filters.order ?? ""}
        options={optionsOf({ last_used: "Last used" })}
        unset="Newest"
        onChoose={change("order")}
      />
      <Check
        label="Playground keys"
        checked={filters.playground === "included"}
        onChange={(event) => change("playground")(event.target.checked ? "included" : "")}
      />
    </section>
  );
}
