/** Connects an application: its settings with the address of this server, a key of its own, and whether it has called. */

import { useState } from "react";
import { useSearchParams } from "wouter";
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useOrganization } from "../api/session.ts";
import { apiBase } from "../browser/addresses.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { CallLight } from "./call-light.tsx";
import { CLIENTS, type Instructions, type Server } from "./clients.ts";

type Key = Reply<"POST /api/projects/:project/keys">;
type Connection = Reply<"GET /api/organizations/:organization/connection">;

/** The secret is on the page only; the address names the application. */
export function Connect() {
  const { id } = useOrganization();
  const [search, setSearch] = useSearchParams();
  const client = CLIENTS.find(({ name }) => name === search.get("client")) ?? CLIENTS[0]!;
  const [keys, setKeys] = useState<Record<string, Key>>({});
  const connection = useRead("GET /api/organizations/:organization/connection", {
    ids: { organization: id },
  });
  const key = keys[client.name];
  return (
    <Page title="Connect">
      <nav className="clients" aria-label="Applications">
        {CLIENTS.map(({ name }) => (
          <Button
            key={name}
            kind={name === client.name ? "plain" : "quiet"}
            aria-pressed={name === client.name}
            onClick={() => setSearch({ client: name }, { replace: true })}
          >
            {name}
          </Button>
        ))}
      </nav>
      <QueryBoundary of={connection}>
        {(data) => (
          <>
            <Reach />
            <KeyCard
              name={client.name}
              created={key}
              onCreated={(created) => setKeys({ ...keys, [client.name]: created })}
            />
            {client.parts(serverOf(data, key)).map((part) => (
              <Part key={part.where} of={part} />
            ))}
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function serverOf({ speech, transcription, wyoming }: Connection, key: Key | undefined): Server {
  return {
    base: apiBase(),
    host: location.hostname,
    key: key?.secret ?? "YOUR_API_KEY",
    keyId: key?.id ?? "THE_ID_OF_A_KEY",
    speech: speech ?? { model: "MODEL", voice: "VOICE" },
    transcription: transcription?.model ?? "MODEL",
    wyoming,
  };
}

/** Applications on other machines cannot use a loopback address. */
function Reach() {
  if (!["localhost", "127.0.0.1", "[::1]"].includes(location.hostname)) return null;
  return (
    <Notice>
      <p>
        <code>{location.host}</code> reaches this server from its own machine only. For applications
        elsewhere, or in containers, start it with <code>HOST=0.0.0.0</code> or{" "}
        <code>loquat serve --lan</code>, and open this page under that address.
      </p>
    </Notice>
  );
}

type KeyCardProps = { name: string; created: Key | undefined; onCreated: (key: Key) => void };

function KeyCard({ name, created, onCreated }: KeyCardProps) {
  const { id } = useOrganization();
  const projects = useRead("GET /api/organizations/:organization/projects", { ids: { organization: id } });
  const create = useWrite("POST /api/projects/:project/keys");
  const project = projects.data?.data.find(({ status }) => status === "active");
  async function make() {
    const body = { name, environment: "live" as const };
    onCreated(await create.mutateAsync({ ids: { project: project!.id }, body }));
  }
  const error = projects.error ?? create.error;
  return (
    <Card title={created ? `Key for ${name}` : `A key for ${name}`}>
      {created ? (
        <>
          <p className="copied">
            <code>{created.secret}</code>
            <CopyButton text={created.secret} label="Copy the key" />
          </p>
          <p className="hint">
            It is in the settings below, and is not shown again after you leave this page.
          </p>
          <CallLight keyId={created.id} />
        </>
      ) : (
        <div className="actions">
          <Button
            kind="primary"
            busy={create.isPending}
            disabled={!project}
            onClick={() => void make().catch(() => {})} // shown below
          >
            Create a key
          </Button>
          <span className="hint">A key of its own can be revoked without touching the others.</span>
        </div>
      )}
      {error && <Failure error={error} />}
    </Card>
  );
}

function Part({ of: { where, settings, code, note } }: { of: Instructions }) {
  return (
    <Card title={where} className="connect-part" actions={code && <CopyButton text={code} />}>
      {settings && (
        <dl className="connect-settings">
          {settings.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
                <CopyButton text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {code && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls with the keyboard
        <pre className="connect-code" tabIndex={0}>
          <code>{code}</code>
        </pre>
      )}
      {note && <p className="hint">{note}</p>}
    </Card>
  );
}
