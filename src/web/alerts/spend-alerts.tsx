/** The spend alerts of the organization, its projects and keys. Members see them; owners and admins change them. */
import { Fragment, useState } from "react";
import { useRead } from "../api/queries.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { Button } from "../ui/button.tsx";
import { Name } from "../ui/name.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { RelativeTime } from "../ui/time.tsx";
import {
  type Alert,
  type AlertChange,
  missingOf,
  type Project,
  thresholdText,
  useAlerts,
  useWatchedName,
} from "./alert.ts";
import { AlertDialog, NewAlertDialog } from "./alert-dialogs.tsx";
import { Address, type AddressState } from "./other-addresses.tsx";

export function SpendAlerts() {
  const { id } = useOrganization();
  const isAdmin = useHasRole("admin");
  const [open, setOpen] = useState<"new" | AlertChange | null>(null);
  const alerts = useAlerts();
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization: id } });
  const projectList = projects.data?.data ?? [];
  const close = () => setOpen(null);
  return (
    <Card
      title="Spend alerts"
      actions={
        isAdmin && (
          <Button disabled={!projects.data} onClick={() => setOpen("new")}>
            Add spend alert
          </Button>
        )
      }
    >
      <p className="hint">
        Tell people by mail, and webhooks, once what was spent reaches an amount. Requests go on. Amounts are
        at list price, months in UTC.
      </p>
      <QueryBoundary of={alerts}>
        {(data) => (
          <Table
            caption="Spend alerts"
            columns={columns({ projects: projectList, onChange: isAdmin ? setOpen : null })}
            rows={data}
            keyOf={(alert) => alert.id}
            empty={<NoAlerts isAdmin={isAdmin} />}
          />
        )}
      </QueryBoundary>
      {open === "new" && <NewAlertDialog projects={projectList} onClose={close} />}
      {open && open !== "new" && <AlertDialog change={open} projects={projectList} onClose={close} />}
    </Card>
  );
}

const NoAlerts = ({ isAdmin }: { isAdmin: boolean }) => (
  <p>
    No spend alerts yet.{" "}
    {isAdmin
      ? "Add one to be told in time when more is spent than expected."
      : "Owners and admins of the organization can add them."}
  </p>
);

type Columns = { projects: Project[]; onChange: ((change: AlertChange) => void) | null };

function columns({ projects, onChange }: Columns): Column<Alert>[] {
  const base: Column<Alert>[] = [
    { name: "Watches", of: (alert) => <Watched of={alert} projects={projects} /> },
    {
      name: "Goes off at",
      of: (alert) => {
        const missing = missingOf(alert);
        return (
          <>
            {thresholdText(alert)} {missing && <Badge tone="warn">{missing}</Badge>}
          </>
        );
      },
    },
    { name: "Tells", of: (alert) => <Told by={alert} /> },
    {
      name: "Last went off",
      of: ({ last_fired_at }) => <RelativeTime time={last_fired_at} otherwise="never" />,
    },
  ];
  if (!onChange) return base;
  return [
    ...base,
    {
      name: "Actions",
      isActions: true,
      of: (alert) => <Actions of={alert} projects={projects} onChange={onChange} />,
    },
  ];
}

type OfAlert = { of: Alert; projects: Project[] };

function Watched({ of: alert, projects }: OfAlert) {
  const name = useWatchedName(alert, projects);
  return (
    <>
      <strong>
        <Name of={name} />
      </strong>{" "}
      {alert.scope !== "organization" && <Badge>{alert.scope === "key" ? "API key" : "project"}</Badge>}
    </>
  );
}

const SHOWN_MAX = 3;

function Told({ by: alert }: { by: Alert }) {
  const { type, recipients } = alert.notification_channel;
  if (type === "webhook") return "webhooks only";
  const more = recipients.length - SHOWN_MAX;
  return (
    <span title={recipients.join(", ")}>
      {recipients.slice(0, SHOWN_MAX).map((each, index) => (
        <Fragment key={each}>
          {index > 0 && ", "}
          <Address of={each} state={stateIn(alert, each)} />
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}

function stateIn(alert: Alert, address: string): AddressState {
  if (alert.pending_recipients.includes(address)) return "pending";
  return alert.unsubscribed_recipients.includes(address) ? "unsubscribed" : null;
}

function Actions({ of: alert, projects, onChange }: OfAlert & { onChange: (change: AlertChange) => void }) {
  const what = `${useWatchedName(alert, projects)}, ${thresholdText(alert)}`;
  return (
    <span className="changes">
      <Button kind="quiet" aria-label={`Edit: ${what}`} onClick={() => onChange({ kind: "edit", alert })}>
        Edit
      </Button>
      <Button
        kind="danger"
        aria-label={`Delete: ${what}`}
        onClick={() => onChange({ kind: "delete", alert })}
      >
        Delete
      </Button>
    </span>
  );
}
