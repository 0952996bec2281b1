/** Adding, changing, testing and removing webhook endpoints, and their signing secrets, which are shown once. */
import { useState } from "react";
import { refreshAll } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { Check, Choice, Field, Form } from "../ui/form/form.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { SecretDialog } from "../ui/overlay/secret-dialog.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import {
  type Endpoint,
  type EndpointCalls,
  type EndpointWithSecret,
  type NewEndpoint,
  useCall,
} from "./endpoint-calls.ts";

export type Action = "edit" | "rotate" | "test" | "enable" | "disable" | "delete";

type Closable = { calls: EndpointCalls; onClose: () => void };
type OfEndpoint = Closable & { of: Endpoint };

export function NewEndpointDialog({ calls, onClose }: Closable) {
  const [created, setCreated] = useState<EndpointWithSecret | null>(null);
  if (created) return <SigningSecret of={created} onClose={onClose} />;
  return (
    <Dialog title="Add an endpoint" onClose={onClose}>
      <Form
        submit="Add endpoint"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values, all) => {
          setCreated(await calls.create(endpointOf(values, all)));
          await refreshAll();
        }}
      >
        <EndpointFields of={null} calls={calls} />
      </Form>
    </Dialog>
  );
}

export function EndpointDialog({ action, ...given }: OfEndpoint & { action: Action }) {
  const { of: endpoint, calls, onClose } = given;
  const { id, name } = endpoint;
  const change = async (done: Promise<unknown>) => {
    await done;
    await refreshAll();
  };
  if (action === "rotate") return <NewSecret {...given} />;
  if (action === "test") return <SendTest {...given} />;
  if (action === "edit")
    return (
      <FormDialog
        title={`Edit ${name}`}
        submit="Save"
        onSubmit={(values, all) => change(calls.change(id, endpointOf(values, all)))}
        onClose={onClose}
      >
        <EndpointFields of={endpoint} calls={calls} />
      </FormDialog>
    );
  if (action === "delete")
    return (
      <FormDialog
        kind="danger"
        title={`Delete ${name}?`}
        submit="Delete endpoint"
        onSubmit={() => change(calls.remove(id))}
        onClose={onClose}
      >
        <p>Nothing more is sent to it, and the list of its deliveries goes, too. This cannot be undone.</p>
      </FormDialog>
    );
  const isOff = action === "disable";
  return (
    <FormDialog
      title={isOff ? `Switch ${name} off?` : `Switch ${name} on?`}
      submit={isOff ? "Switch off" : "Switch on"}
      onSubmit={() => change(calls.change(id, { status: isOff ? "disabled" : "enabled" }))}
      onClose={onClose}
    >
      <p>
        {isOff
          ? "Events are kept for 30 days, and can be sent once it is on again."
          : "Events are sent to it from now on."}
      </p>
    </FormDialog>
  );
}

const endpointOf = ({ name = "", url = "" }: Record<string, string>, all: FormData): NewEndpoint => ({
  name,
  url: url.trim(),
  event_types: all.getAll("type").map(String),
});

function EndpointFields({ of: endpoint, calls }: Pick<Closable, "calls"> & { of: Endpoint | null }) {
  const types = useCall(calls, "event types", calls.eventTypes);
  return (
    <>
      <Field
        {...{ name: "name", label: "Name", placeholder: "What gets the events", maxLength: 100 }}
        defaultValue={endpoint?.name}
        autoComplete="off"
        required
      />
      <Field
        {...{ type: "url", name: "url", label: "Address", placeholder: "https://example.com/events" }}
        defaultValue={endpoint?.url}
        maxLength={2048}
        autoComplete="off"
        dir="ltr"
        required
      />
      <QueryBoundary of={types}>
        {({ data }) => (
          <fieldset>
            <legend>Events</legend>
            {data.map(({ type, description }) => (
              <Check
                key={type}
                name="type"
                value={type}
                label={type}
                hint={description}
                defaultChecked={endpoint?.event_types.includes(type)}
              />
            ))}
          </fieldset>
        )}
      </QueryBoundary>
    </>
  );
}

function NewSecret({ of: { id, name }, calls, onClose }: OfEndpoint) {
  const [rotated, setRotated] = useState<EndpointWithSecret | null>(null);
  if (rotated) return <SigningSecret of={rotated} onClose={onClose} />;
  return (
    <Dialog title={`A new signing secret for ${name}`} onClose={onClose}>
      <Form
        submit="Make a new secret"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ keeps }) => {
          setRotated(await calls.rotate(id, keeps === "1"));
          await refreshAll();
        }}
      >
        <Check name="keeps" value="1" label="The old secret signs for 24 hours, too" defaultChecked />
      </Form>
    </Dialog>
  );
}

function SendTest({ of: { id, name, event_types: types }, calls, onClose }: OfEndpoint) {
  const [answer, setAnswer] = useState<string | null>(null);
  return (
    <Dialog title={`Send a test to ${name}`} onClose={onClose}>
      <Form
        submit="Send"
        actions={<Button onClick={onClose}>Close</Button>}
        onSubmit={async ({ type = "" }) => {
          setAnswer(null);
          const { status_code: status } = await calls.test(id, type);
          setAnswer(`The endpoint answered ${status}.`);
          await refreshAll();
        }}
      >
        <Choice name="type" label="Event">
          {types.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </Choice>
        {answer && (
          <Notice tone="good">
            <p>{answer}</p>
          </Notice>
        )}
      </Form>
    </Dialog>
  );
}

const SigningSecret = ({ of, onClose }: { of: EndpointWithSecret; onClose: () => void }) => (
  <SecretDialog
    title={`The signing secret of ${of.name}`}
    secret={of.signing_secret}
    what="secret"
    warning="Copy it now and store it safely. It is not shown again. Requests are signed as Standard Webhooks says."
    onClose={onClose}
  />
);
