/** The filters of the list of keys, kept in the address. */
import { Choice } from "../ui/form/form.tsx";
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
  const change = (name: keyof Filters) => (event: { target: { value: string } }) => {
    // a cursor is only valid for its own filters
    const { cursor: _, ...kept } = filters;
    const chosen = { ...kept, [name]: event.target.value };
    onChange(new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)));
  };
  return (
    <section className="filters" aria-label="Filters">
      <Choice label="Project" value={filters.project_id ?? ""} onChange={change("project_id")}>
        <option value="">All</option>
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Choice label="Environment" value={filters.environment ?? ""} onChange={change("environment")}>
        <option value="">All</option>
        <option value="live">Live</option>
        <option value="test">Test</option>
      </Choice>
      <Choice label="Status" value={filters.status ?? ""} onChange={change("status")}>
        <option value="">All</option>
        <option value="active">Active</option>
        <option value="revoked">Revoked</option>
        <option value="expired">Expired</option>
      </Choice>
    </section>
  );
}
