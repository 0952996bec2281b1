/** The filters of the list of keys, kept in the address. */
import { FilterChoice, optionsOf } from "../ui/form/filter-choice.tsx";
import type { Project } from "./key.ts";

export type Filters = {
  project_id?: string;
  environment?: "live" | "test";
  status?: "active" | "revoked" | "expired";
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
    ...text("cursor"),
  };
}

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
    </section>
  );
}
