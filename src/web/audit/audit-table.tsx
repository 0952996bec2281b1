/** A table of events, each a sentence; its row opens the details. */
import { Link } from "wouter";
import { sentenceOf } from "../../audit-types.ts";
import { searchOf } from "../api/server.ts";
import { Moment } from "../requests/request-table.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { type AuditEvent, changeText } from "./event.ts";

type AuditTableProps = {
  rows: AuditEvent[];
  /** Tells of each row which organization it is of. */
  showsOrganization: boolean;
  search: URLSearchParams;
};

const SHOWN_MAX = 3;

export function AuditTable({ rows, showsOrganization, search }: AuditTableProps) {
  const isNarrow = ["kind", "by", "actor", "project_id", "organization", "last", "start", "end"].some(
    (name) => search.has(name),
  );
  return (
    <div className="table-part audit">
      <Table
        caption="Events, newest first"
        columns={columnsOf(search).filter(({ name }) => showsOrganization || name !== "Organization")}
        rows={rows}
        keyOf={({ id }) => id}
        empty={isNarrow ? <NoneMatch /> : "Nothing has been changed yet."}
        openKey={search.get("open")}
        isLinked
      />
    </div>
  );
}

const NoneMatch = () => (
  <p>
    No matching events. <Link href="?">Show all</Link>
  </p>
);

const columnsOf = (search: URLSearchParams): Column<AuditEvent>[] => [
  {
    name: "Event",
    of: (event) => (
      <Link href={searchOf({ ...Object.fromEntries(search), open: event.id })} className="row-link">
        <Sentence of={event} />
        <Changes of={event} />
      </Link>
    ),
  },
  {
    name: "Organization",
    of: ({ organization_id, organization_name }) => (
      <bdi>{organization_id === null ? "Server" : (organization_name ?? organization_id)}</bdi>
    ),
  },
  { name: "Address", of: ({ actor }) => actor.ip_address && <code>{actor.ip_address}</code> },
  { name: "Time", of: ({ effective_at }) => <Moment time={effective_at} /> },
];

export function Sentence({ of }: { of: AuditEvent }) {
  const { actor, deed, resource } = sentenceOf(of);
  return (
    <span className="deed">
      <strong>
        <bdi>{actor}</bdi>
      </strong>{" "}
      {deed}
      {resource !== null && (
        <>
          {" "}
          <b>
            <bdi>{resource}</bdi>
          </b>
        </>
      )}
    </span>
  );
}

/** What the sentence does not say already. */
function Changes({ of }: { of: AuditEvent }) {
  const { resource } = sentenceOf(of);
  const changes = of.changes.filter(({ before, after }) => before !== null || after !== resource);
  if (changes.length === 0) return null;
  const told = changes.slice(0, SHOWN_MAX).map(changeText).join(" · ");
  return (
    <small className="second-line">
      <bdi>{told}</bdi>
      {changes.length > SHOWN_MAX && ` · ${changes.length - SHOWN_MAX} more`}
    </small>
  );
}
