/** Connects an application: its settings with the address of this server, a key of its own, and whether it has called. */

import { useState } from "react";
import { useSearchParams } from "wouter";
import { useNewKey } from "../api/new-key.ts";
import { useRead } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useIsOperator, useOrganization } from "../api/session.ts";
import { apiBase } from "../browser/addresses.ts";
import { site } from "../browser/site.ts";
import { Button, CopyButton } from "../ui/button.tsx";
import { Card, Notice, Page } from "../ui/page.tsx";
import { QrCode } from "../ui/qr-code.tsx";
import { Failure, QueryBoundary } from "../ui/query-boundary.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { CallLight } from "./call-light.tsx";
import { CLIENTS, type Client, type Instructions, type Server } from "./clients.ts";
import { WyomingPort } from "./wyoming-port.tsx";

type Key = Reply<"POST /api/projects/:project/keys">;
type Connection = Reply<"GET /api/organizations/:organization/connection">;

const HOME_ASSISTANT = "home-assistant";
const IDS = CLIENTS.map((client) => client.id);
const clientOf = (id: string | null): Client => CLIENTS.find((client) => client.id === id) ?? CLIENTS[0]!;

/** The secret is on the page only; the address names the application. */
export function Connect() {
  const { id } = useOrganization();
  const [search, setSearch] = useSearchParams();
  const client = clientOf(search.get("client"));
  const [keys, setKeys] = useState<Record<string, Key>>({});
  const connection = useRead("GET /api/organizations/:organization/connection", {
    ids: { organization: id },
  });
  const key = keys[client.id];
  const opensWyoming = useIsOperator();
  return (
    <Page title="Connect">
      <Tabs
        id="client"
        label="Applications"
        names={IDS}
        chosen={client.id}
        onChoose={(chosen) => setSearch({ client: chosen }, { replace: true })}
        panelOf={() => "connect-panel"}
      >
        {(each) => clientOf(each).name}
      </Tabs>
      <div
        id="connect-panel"
        className="connect-panel"
        role="tabpanel"
        aria-labelledby={`client-${client.id}`}
      >
        <QueryBoundary of={connection}>
          {(data) => (
            <>
              <Reach addresses={data.addresses} />
              <KeyCard
                client={client}
                created={key}
                onCreated={(created) => setKeys({ ...keys, [client.id]: created })}
              />
              {client.id === HOME_ASSISTANT && opensWyoming && <WyomingPort keyId={key?.id ?? null} />}
              {client.parts({ ...serverOf(data, key), opensWyoming }).map((part) => (
                <Part key={part.where} of={part} />
              ))}
            </>
          )}
        </QueryBoundary>
      </div>
    </Page>
  );
}

function serverOf(
  { speech, transcription, wyoming }: Connection,
  key: Key | undefined,
): Omit<Server, "opensWyoming"> {
  return {
    base: apiBase(),
    host: location.hostname,
    key: key?.secret ?? "YOUR_API_KEY",
    keyId: key?.id ?? "THE_ID_OF_A_KEY",
    speech: { model: speech?.model ?? "MODEL", voice: speech?.voice ?? "VOICE" },
    transcription: transcription?.model ?? "MODEL",
    wyoming,
  };
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const isLoopback = (hostname: string): boolean => LOOPBACK.includes(hostname);

/** Applications on other machines cannot use a loopback address: those that they can use open this page again. */
function Reach({ addresses }: { addresses: string[] }) {
  if (!isLoopback(location.hostname)) return null;
  const others = addresses.filter((address) => !isLoopback(new URL(address).hostname));
  return (
    <Notice>
      <p>
        <code>{location.host}</code> reaches this server from its own machine only.{" "}
        {others.length === 0 ? (
          <>
            For applications elsewhere, or in containers, start it with <code>HOST=0.0.0.0</code> or{" "}
            <code>loquat serve --lan</code>, and open this page under that address.
          </>
        ) : (
          "For applications elsewhere, or in containers, open this page under another address:"
        )}
      </p>
      {others.length > 0 && (
        <ul className="reach">
          {others.map((address) => (
            <li key={address}>
              <a href={samePageAt(address)}>{address}</a>
              <CopyButton text={address} label="Copy" />
            </li>
          ))}
        </ul>
      )}
      {others[0] && (
        <>
          <p>To open this page on a phone, scan:</p>
          <QrCode text={samePageAt(others[0])} label={`${others[0]} as a QR code`} />
        </>
      )}
      {others.some((address) => address.startsWith("https:")) && (
        <p>
          Browsers warn once of a certificate that this server has made itself; other programs must trust its
          file, which the server names when it starts.
        </p>
      )}
    </Notice>
  );
}

/** An address may have the path below which the server lies. */
const samePageAt = (address: string): string =>
  address + location.pathname.slice(site.base.length) + location.search;

type KeyCardProps = { client: Client; created: Key | undefined; onCreated: (key: Key) => void };

function KeyCard({ client: { name, scopes }, created, onCreated }: KeyCardProps) {
  const { id } = useOrganization();
  const { make, isReady, isBusy, error } = useNewKey(id, onCreated);
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
          <Button kind="primary" busy={isBusy} disabled={!isReady} onClick={() => make({ name, scopes })}>
            Create a key
          </Button>
          <span className="hint">
            A key of its own can be revoked without touching the others. It may do only what {name} needs:{" "}
            {scopes.join(", ")}.
          </span>
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
