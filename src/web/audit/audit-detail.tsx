/** The details of one event, beside the list: who, from where, and each field before and after. */
import { Link } from "wouter";
import { searchOf } from "../api/server.ts";
import { Moment } from "../requests/request-table.tsx";
import { CopyButton } from "../ui/button.tsx";
import { type Fact, Facts } from "../ui/facts.tsx";
import { SidePanel } from "../ui/overlay/side-panel.tsx";
import { Sentence } from "./audit-table.tsx";
import { type AuditEvent, fieldName, valueText } from "./event.ts";

type AuditDetailProps = {
  event: AuditEvent;
  /** The ids of the list, in its order. */
  ids: string[];
  /** Null closes the details. */
  onOpen: (id: string | null) => void;
};

export function AuditDetail({ event, ids, onOpen }: AuditDetailProps) {
  const at = ids.indexOf(event.id);
  const opener = (other: string | undefined) => (other ? () => onOpen(other) : undefined);
  return (
    <SidePanel
      title="Event"
      onClose={() => onOpen(null)}
      onPrevious={opener(at > 0 ? ids[at - 1] : undefined)}
      onNext={opener(ids[at + 1])}
    >
      <div className="request">
        <p>
          <Sentence of={event} />
        </p>
        <p className="actions">
          <code>{event.id}</code> <CopyButton text={event.id} label="Copy ID" />
        </p>
        <section>
          <h3>What</h3>
          <Facts of={factsOf(event)} />
        </section>
        <section>
          <h3>Who</h3>
          <Facts of={actorFactsOf(event)} />
          <AllOfActor of={event} />
        </section>
        {event.changes.length > 0 && (
          <section>
            <h3>Changes</h3>
            <Facts of={event.changes.map(changeFactOf)} />
          </section>
        )}
      </div>
    </SidePanel>
  );
}

const idOf = (id: string | null) => id && <code>{id}</code>;

const factsOf = (event: AuditEvent): Fact[] => [
  ["Time", <Moment key="time" time={event.effective_at} />],
  ["Type", <code key="type">{event.type}</code>],
  ["Organization", event.organization_name],
  ["Project", idOf(event.project_id)],
  ["Name", event.resource_name && <bdi>{event.resource_name}</bdi>],
  ["ID", idOf(event.resource_id)],
];

const KINDS: Record<AuditEvent["actor"]["type"], string> = {
  user: "A person in the dashboard",
  operator: "An operator of the server",
  api_key: "An API key",
  admin_key: "An admin key",
  command_line: "The command line of the server",
  system: "The server itself",
};

const actorFactsOf = ({ actor }: AuditEvent): Fact[] => [
  ["Made by", KINDS[actor.type]],
  ["Name", actor.name && <bdi>{actor.name}</bdi>],
  ["E-mail", actor.email],
  ["ID", idOf(actor.id)],
  ["Address", idOf(actor.ip_address)],
  ["Client", actor.user_agent],
];

const AllOfActor = ({ of: { actor } }: { of: AuditEvent }) =>
  actor.id && (
    <p>
      <Link href={searchOf({ actor: actor.id })}>All their events</Link>
    </p>
  );

const changeFactOf = ({ field, before, after }: AuditEvent["changes"][number]): Fact => [
  fieldName(field),
  <>
    {before !== null && (
      <>
        <bdi>{valueText(field, before)}</bdi> →{" "}
      </>
    )}
    <bdi>{valueText(field, after)}</bdi>
  </>,
];
