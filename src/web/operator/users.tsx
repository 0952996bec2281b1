/** The people of the server: who waits for a mail that is not sent is approved here, and who forgot a password gets a link. */

import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import { type Reply, searchOf } from "../api/server.ts";
import { Button } from "../ui/button.tsx";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Name } from "../ui/name.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { LinkDialog } from "../ui/overlay/link-dialog.tsx";
import { Badge, Card } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { Day, RelativeTime } from "../ui/time.tsx";
import { OperatorsOnly } from "./operators-only.tsx";

type Person = Reply<"GET /api/operator/users">["data"][number];
type Change = { kind: "approve" | "remove" | "password"; person: Person };

export function Users() {
  return (
    <OperatorsOnly title="Users">
      <SignUpPolicy />
      <AllUsers />
    </OperatorsOnly>
  );
}

const POLICIES = {
  open: "Everybody, with an organization of their own",
  invited: "Whom a member invites",
  closed: "No one; operators create accounts",
};

function SignUpPolicy() {
  const policy = useRead("GET /api/operator/sign-up", {});
  const choose = useWrite("PUT /api/operator/sign-up");
  return (
    <Card title="Who may sign up">
      <QueryBoundary of={policy}>
        {({ policy: current, is_configured }) => (
          <Choice
            label="Sign-up"
            value={current}
            disabled={is_configured || choose.isPending}
            hint={is_configured ? "Set by LOQUAT_SIGN_UP on this server." : undefined}
            onChange={(event) =>
              choose.mutate({ body: { policy: event.target.value as keyof typeof POLICIES } })
            }
          >
            {Object.entries(POLICIES).map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
        )}
      </QueryBoundary>
      {choose.error && <Failure error={choose.error} />}
    </Card>
  );
}

function AllUsers() {
  const [address, setAddress] = useSearchParams();
  const [change, setChange] = useState<Change | null>(null);
  const [search, cursor] = [address.get("search") ?? "", address.get("cursor")];
  const isPending = address.get("status") === "pending";
  const query = {
    ...(search ? { search } : {}),
    ...(isPending ? { status: "pending" as const } : {}),
  };
  const users = useRead(
    "GET /api/operator/users",
    { query: { ...query, ...(cursor ? { cursor } : {}) } },
    { keep: true },
  );
  return (
    <Card title="People with an account">
      <search className="tenant-filters">
        <Form
          key={search}
          submit="Search"
          kind="plain"
          onSubmit={async ({ search = "" }) => setAddress(searchOf({ ...query, search: search || null }))}
        >
          <Field
            type="search"
            name="search"
            label="Name or e-mail"
            defaultValue={search}
            autoComplete="off"
          />
        </Form>
        <Choice
          label="Show"
          value={isPending ? "pending" : ""}
          onChange={(event) => setAddress(searchOf({ ...query, status: event.target.value || null }))}
        >
          <option value="">Everybody</option>
          <option value="pending">Waiting for approval</option>
        </Choice>
      </search>
      <QueryBoundary of={users}>
        {({ data, next_cursor }) => (
          <>
            <Table
              caption="Users, the newest first"
              columns={columns(setChange)}
              rows={data}
              keyOf={({ id }) => id}
              empty={isPending ? "No one waits for approval." : "No user matches."}
            />
            <nav className="actions" aria-label="Pages">
              {cursor && <Link href={searchOf(query) || "?"}>Newest</Link>}
              {next_cursor && <Link href={searchOf({ ...query, cursor: next_cursor })}>Older</Link>}
            </nav>
          </>
        )}
      </QueryBoundary>
      {change && <ChangeDialog {...change} onClose={() => setChange(null)} />}
    </Card>
  );
}

const columns = (onChange: (change: Change) => void): Column<Person>[] => [
  {
    name: "Name",
    of: ({ name, operator }) => (
      <>
        <strong>
          <Name of={name} />
        </strong>{" "}
        {operator && <Badge>operator</Badge>}
      </>
    ),
  },
  {
    name: "E-mail",
    of: ({ email, email_verified }) => (
      <>
        {email} {!email_verified && <Badge tone="warn">not verified</Badge>}
      </>
    ),
  },
  {
    name: "Organizations",
    of: ({ organizations }) =>
      organizations.map(({ id, name, role }, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Link href={`/operator/organizations/${id}`}>{name}</Link> <small>{role}</small>
        </span>
      )),
  },
  { name: "Joined", of: ({ created_at }) => <Day time={created_at} /> },
  { name: "Last seen", of: ({ seen_at }) => <RelativeTime time={seen_at} otherwise="Signed out" /> },
  { name: "Actions", isActions: true, of: (person) => <Actions person={person} onChange={onChange} /> },
];

function Actions({ person, onChange }: { person: Person; onChange: (change: Change) => void }) {
  const button = (kind: Change["kind"], label: string, tone: "plain" | "quiet" | "danger") => (
    <Button kind={tone} aria-label={`${label}: ${person.email}`} onClick={() => onChange({ kind, person })}>
      {label}
    </Button>
  );
  return (
    <span className="changes">
      {person.email_verified ? (
        button("password", "Password link", "quiet")
      ) : (
        <>
          {button("approve", "Approve", "plain")}
          {button("remove", "Remove", "danger")}
        </>
      )}
    </span>
  );
}

function ChangeDialog({ kind, person, onClose }: Change & { onClose: () => void }) {
  const approve = useWrite("POST /api/operator/users/:person/approve");
  const remove = useWrite("DELETE /api/operator/users/:person");
  const ids = { person: person.id };
  if (kind === "password") return <PasswordLink person={person} onClose={onClose} />;
  if (kind === "approve")
    return (
      <FormDialog
        title={`Approve ${person.name}?`}
        submit="Approve"
        onSubmit={() => approve.mutateAsync({ ids })}
        onClose={onClose}
      >
        <p>
          You vouch that <strong>{person.email}</strong> is the address of the person who signed up with it.
          They can then sign in with the password that they chose.
        </p>
      </FormDialog>
    );
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${person.name}?`}
      submit="Remove"
      onSubmit={() => remove.mutateAsync({ ids })}
      onClose={onClose}
    >
      <p>
        The account of <strong>{person.email}</strong> is deleted. The person can sign up again.
      </p>
    </FormDialog>
  );
}

function PasswordLink({ person, onClose }: { person: Person; onClose: () => void }) {
  const make = useWrite("POST /api/operator/users/:person/password-link");
  const [url, setUrl] = useState<string | null>(null);
  const title = `A new password for ${person.name}`;
  if (url === null)
    return (
      <Dialog title={title} onClose={onClose}>
        <Form
          submit="Make a link"
          actions={<Button onClick={onClose}>Cancel</Button>}
          onSubmit={async () => setUrl((await make.mutateAsync({ ids: { person: person.id } })).url)}
        >
          <p>
            The link sets a new password, once, within an hour, and signs the account out everywhere. Give it
            to {person.email} alone.
          </p>
        </Form>
      </Dialog>
    );
  return <LinkDialog title={title} link={url} onClose={onClose} />;
}
