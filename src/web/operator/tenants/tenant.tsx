/** One organization of the server: what it uses, who belongs to it, its keys, credit and latest requests. */

import type { UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useParams } from "wouter";
import { useRead } from "../../api/queries.ts";
import type { Reply, ServerError } from "../../api/server.ts";
import { useSession } from "../../api/session.ts";
import { GrantTable } from "../../billing/grants.tsx";
import { planName } from "../../format/plan.ts";
import { factorText } from "../../format/price-factor.ts";
import { day, distance } from "../../format/times.ts";
import { Button, CopyButton } from "../../ui/button.tsx";
import { Money } from "../../ui/money.tsx";
import { Name } from "../../ui/name.tsx";
import { Badge, Card } from "../../ui/page.tsx";
import { QueryBoundary } from "../../ui/query-boundary.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { OperatorsOnly } from "../operators-only.tsx";
import { OperatorNote } from "./operator-note.tsx";
import { correctable, TakeBackDialog } from "./take-back.tsx";
import { type TenantAction, TenantDialog } from "./tenant-actions.tsx";
import { Load } from "./tenant-load.tsx";
import { Use } from "./tenant-use.tsx";

type Detail = Reply<"GET /api/operator/organizations/:tenant">;

const EVERY_MS = 10_000;

export function TenantPage() {
  const { id } = useParams<{ id: string }>();
  const { operator } = useSession().user;
  const query = useRead(
    "GET /api/operator/organizations/:tenant",
    { ids: { tenant: id } },
    { everyMs: EVERY_MS, enabled: operator },
  );
  return (
    <OperatorsOnly title={query.data?.name ?? "Organization"}>
      <Overview query={query} />
    </OperatorsOnly>
  );
}

function Overview({ query }: { query: UseQueryResult<Detail, ServerError> }) {
  const [action, setAction] = useState<TenantAction | null>(null);
  return (
    <>
      <p>
        <Link href="/operator/organizations">All organizations</Link>
      </p>
      <QueryBoundary of={query}>
        {(tenant) => (
          <>
            <Terms tenant={tenant} onAction={setAction} />
            <OperatorNote tenant={tenant} />
            <Use tenant={tenant} />
            <Load tenant={tenant.id} />
            <div className="columns">
              <People people={tenant.people} />
              <Keys keys={tenant.keys} />
            </div>
            {tenant.grants.length > 0 && <Grants tenant={tenant} />}
            <Requests requests={tenant.requests} />
            {action && <TenantDialog action={action} tenant={tenant} onClose={() => setAction(null)} />}
          </>
        )}
      </QueryBoundary>
    </>
  );
}

type TermsProps = { tenant: Detail; onAction: (action: TenantAction) => void };

/** What it may use, and under which plan. */
function Terms({ tenant, onAction }: TermsProps) {
  const { id, plan, status, is_first, created_at, limit_overrides, delete_at } = tenant;
  const isPrepaid = plan === "prepaid";
  return (
    <Card
      title="Plan and limits"
      actions={
        <>
          <Button onClick={() => onAction("plan")}>Change plan</Button>
          <Button onClick={() => onAction("limits")}>Limits</Button>
          {isPrepaid && <Button onClick={() => onAction("spending")}>Monthly limit</Button>}
          {isPrepaid && <Button onClick={() => onAction("prices")}>Prices</Button>}
          {!is_first && status !== "deleted" && <Ending tenant={tenant} onAction={onAction} />}
          {isPrepaid && (
            <Button kind="primary" onClick={() => onAction("credit")}>
              Grant credit
            </Button>
          )}
        </>
      }
    >
      <dl className="facts">
        <dt>ID</dt>
        <dd>
          <code>{id}</code> <CopyButton text={id} label="Copy ID" />
        </dd>
        {status !== "active" && (
          <>
            <dt>Status</dt>
            <dd>
              <Badge tone="bad">{status}</Badge>{" "}
              {status === "suspended" && delete_at !== null && (
                <small>is deleted {distance(delete_at)}</small>
              )}
            </dd>
          </>
        )}
        <dt>Plan</dt>
        <dd>
          {planName(tenant)} {limit_overrides && <Badge>Custom limits</Badge>}
        </dd>
        {isPrepaid && (
          <>
            <dt>Prices</dt>
            <dd>{factorText(tenant)}</dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          {day(created_at)}
          {is_first && (
            <small>, with this server: the first organization can be neither suspended nor deleted</small>
          )}
        </dd>
      </dl>
    </Card>
  );
}

/** While it is about to be deleted, that is undone before anything else. */
function Ending({ tenant: { status, delete_at }, onAction }: TermsProps) {
  if (delete_at !== null) return <Button onClick={() => onAction("undo")}>Undo deletion</Button>;
  return (
    <>
      <Button onClick={() => onAction("status")}>{status === "active" ? "Suspend" : "Resume"}</Button>
      <Button kind="danger" onClick={() => onAction("delete")}>
        Delete
      </Button>
    </>
  );
}

function People({ people }: { people: Detail["people"] }) {
  return (
    <Card title="Members">
      <Table caption="People" columns={PEOPLE} rows={people} keyOf={({ id }) => id} empty="No members." />
    </Card>
  );
}

const PEOPLE: Column<Detail["people"][number]>[] = [
  {
    name: "Member",
    of: ({ name, email }) => (
      <>
        <strong>
          <Name of={name} />
        </strong>
        <span className="second-line">{email}</span>
      </>
    ),
  },
  { name: "Role", phone: "side", of: ({ role }) => role },
  { name: "Joined", of: ({ joined_at }) => <RelativeTime time={joined_at} /> },
];

function Keys({ keys }: { keys: Detail["keys"] }) {
  return (
    <Card title="API keys">
      <Table caption="Keys" columns={KEYS} rows={keys} keyOf={({ id }) => id} empty="No keys." />
    </Card>
  );
}

const KEY_TONES = { active: "good", revoked: "bad", expired: "warn" } as const;
const KEYS: Column<Detail["keys"][number]>[] = [
  {
    name: "Key",
    of: ({ name, prefix, last4 }) => (
      <>
        <strong>
          <Name of={name} />
        </strong>
        <code className="second-line">
          {prefix}…{last4}
        </code>
      </>
    ),
  },
  { name: "Status", phone: "side", of: ({ status }) => <Badge tone={KEY_TONES[status]}>{status}</Badge> },
  { name: "Last used", of: ({ last_used_at }) => <RelativeTime time={last_used_at} otherwise="never" /> },
];

function Grants({ tenant }: { tenant: Detail }) {
  const [taken, setTaken] = useState<Detail["grants"][number] | null>(null);
  const takeBack: Column<Detail["grants"][number]> = {
    name: "Actions",
    of: (grant) => (
      <Button onClick={() => setTaken(grant)} disabled={correctable(grant) === 0}>
        Take back
      </Button>
    ),
  };
  return (
    <Card title="Credit grants">
      <GrantTable grants={tenant.grants} empty="No credit." more={[takeBack]} />
      {taken && <TakeBackDialog tenant={tenant} grant={taken} onClose={() => setTaken(null)} />}
    </Card>
  );
}

function Requests({ requests }: { requests: Detail["requests"] }) {
  return (
    <Card title="Latest requests">
      <Table
        caption="Requests"
        columns={REQUESTS}
        rows={requests}
        keyOf={({ id }) => id}
        empty="No requests yet."
      />
    </Card>
  );
}

const REQUESTS: Column<Detail["requests"][number]>[] = [
  { name: "When", of: ({ created_at }) => <RelativeTime time={created_at} /> },
  {
    name: "Status",
    phone: "side",
    of: ({ status, error_code }) => (
      <>
        <Badge tone={status < 400 ? "good" : "warn"}>{status}</Badge> <small>{error_code}</small>
      </>
    ),
  },
  { name: "Endpoint", of: ({ endpoint }) => endpoint },
  { name: "Model", of: ({ model }) => model },
  { name: "Price", numeric: true, of: ({ cost_micros }) => <Money micros={cost_micros} /> },
];
