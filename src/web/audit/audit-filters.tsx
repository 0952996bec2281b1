/** The filters of the audit log: kind, who did it, where and when. */
import { ACTOR_TYPES, type ActorType, AUDIT_KINDS, deedOf } from "../../audit-types.ts";
import { useRead } from "../api/queries.ts";
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { useAddress } from "../usage/filters.tsx";
import { TimeChoice } from "../usage/time-choice.tsx";
import { ITSELF } from "./audit-calls.ts";

const BY: Record<ActorType, string> = {
  user: "People",
  operator: "Operators of the server",
  api_key: "API keys",
  admin_key: "Admin keys",
  command_line: "The command line",
  system: "The server itself",
};

/** The cursor and the event that is open are of the filters before. */
const RESET = { cursor: null, open: null };

/** `organization` null: of the whole server. */
export function AuditFilters({ organization }: { organization: string | null }) {
  const [search, change] = useAddress();
  return (
    <section className="filters" aria-label="Filters">
      <TimeChoice reset={RESET} />
      <Kinds isOfServer={organization === null} />
      <FilterChoice
        label="Made by"
        value={search.get("by") ?? ""}
        options={ACTOR_TYPES.map((id) => ({ id, name: BY[id] }))}
        onChoose={(by) => change({ ...RESET, by })}
        unset="Anyone"
      />
      {organization === null ? <Organizations /> : <Projects organization={organization} />}
      <Actor />
    </section>
  );
}

function Kinds({ isOfServer }: { isOfServer: boolean }) {
  const [search, change] = useAddress();
  return (
    <Choice
      label="Event"
      value={search.get("kind") ?? ""}
      onChange={(event) => change({ ...RESET, kind: event.target.value })}
    >
      <option value="">All</option>
      {AUDIT_KINDS.filter((kind) => isOfServer || !kind.isOfServer).map(({ id, name, types }) => (
        <optgroup key={id} label={name}>
          <option value={id}>{name}: all</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {deedName(type)}
            </option>
          ))}
        </optgroup>
      ))}
    </Choice>
  );
}

/** "Created the API key". */
function deedName(type: string): string {
  const { text } = deedOf({ type, actorId: null, resourceId: null });
  return text[0]!.toUpperCase() + text.slice(1);
}

function Projects({ organization }: { organization: string }) {
  const [search, change] = useAddress();
  const ids = { organization };
  const projects = useRead("GET /api/organizations/:organization/projects", { ids }).data?.data ?? [];
  return (
    <FilterChoice
      label="Project"
      value={search.get("project_id") ?? ""}
      options={projects}
      onChoose={(project_id) => change({ ...RESET, project_id })}
    />
  );
}

function Organizations() {
  const [search, change] = useAddress();
  const organizations = useRead("GET /api/operator/organizations", {}).data?.data ?? [];
  return (
    <FilterChoice
      label="Organization"
      value={search.get("organization") ?? ""}
      options={[{ id: ITSELF, name: "None: the server itself" }, ...organizations]}
      onChoose={(organization) => change({ ...RESET, organization })}
      unset="All, and the server"
    />
  );
}

function Actor() {
  const [search, change] = useAddress();
  const actor = search.get("actor") ?? "";
  return (
    <search>
      <Form
        key={actor}
        submit="Search"
        kind="plain"
        onSubmit={async ({ actor: text = "" }) => change({ ...RESET, actor: text.trim() })}
      >
        <Field
          label="E-mail or ID"
          name="actor"
          type="search"
          defaultValue={actor}
          placeholder="Of who made it"
          autoComplete="off"
        />
      </Form>
    </search>
  );
}
