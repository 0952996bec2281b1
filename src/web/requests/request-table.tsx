/** A table of requests; each row opens the details of its request. */

import { Link } from "wouter";
import { useShowsMoney } from "../api/session.ts";
import { count, ms, seconds } from "../format/numbers.ts";
import { LOCALE } from "../language/chosen.ts";
import { CopyIcon } from "../ui/button.tsx";
import { Money } from "../ui/money.tsx";
import { Badge } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { Names } from "../usage/names.ts";
import type { RequestRecord } from "./request-pages.ts";

type RequestTableProps = {
  rows: RequestRecord[];
  names: Names;
  newIds?: ReadonlySet<string>;
  /** Shows the most important columns only. */
  brief?: boolean;
  /** The address of a request's details. */
  hrefOf: (id: string) => string;
  openId?: string | null;
  empty: React.ReactNode;
};

const BRIEF = ["Time", "Status", "Endpoint", "First audio", "Duration", "Price"];

export function RequestTable({ rows, names, newIds, brief = false, hrefOf, ...rest }: RequestTableProps) {
  const showsMoney = useShowsMoney();
  const all: Column<RequestRecord>[] = [
    {
      name: "Time",
      of: ({ id, created_at }) => (
        <Link href={hrefOf(id)} className={newIds?.has(id) ? "row-link at new" : "row-link at"} title={id}>
          <Moment time={created_at} />
          {newIds?.has(id) && <span className="unseen">new</span>}
        </Link>
      ),
    },
    { name: "Status", phone: "side", of: (request) => <Status of={request} /> },
    { name: "Endpoint", of: (request) => <Target of={request} endpoint={endpointOf(request, names)} /> },
    { name: "Voice", isExtra: true, of: ({ voice }) => voice && <code>{voice}</code> },
    {
      name: "First audio",
      numeric: true,
      of: ({ first_audio_ms }) => (first_audio_ms === null ? "" : ms(first_audio_ms)),
    },
    { name: "Duration", numeric: true, of: ({ duration_ms }) => ms(duration_ms) },
    { name: "Quantity", numeric: true, isExtra: true, of: quantityOf },
    { name: "Price", numeric: true, of: ({ cost_micros }) => <Money micros={cost_micros} /> },
    { name: "API key", phone: "hidden", of: ({ key_id }) => <KeyName name={names.nameOf("key", key_id)} /> },
    {
      name: "Request ID",
      phone: "hidden",
      of: ({ id }) => (
        <span className="id-cell">
          <code title={id}>{id}</code>
          <CopyIcon text={id} label={`Copy ${id}`} />
        </span>
      ),
    },
  ];
  const columns = showsMoney ? all : all.filter(({ name }) => name !== "Price");
  return (
    <div className="table-part requests">
      <Table
        caption="Requests, newest first"
        columns={brief ? columns.filter(({ name }) => BRIEF.includes(name)) : columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={rest.empty}
        openKey={rest.openId ?? null}
        isLinked
      />
    </div>
  );
}

const KeyName = ({ name }: { name: string }) => (
  <span className="key" title={name}>
    {name}
  </span>
);

const endpointOf = ({ endpoint }: RequestRecord, names: Names) => names.nameOf("endpoint", endpoint);

function Target({ of: { model }, endpoint }: { of: RequestRecord; endpoint: string }) {
  return (
    <>
      {endpoint} {model && <small className="model">{model}</small>}
    </>
  );
}

const CLOCK = {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
} as const;

/** An absolute time to the second, for comparison with other logs. */
export function Moment({ time }: { time: number }) {
  const date = new Date(time * 1000);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {date.toLocaleString(LOCALE, CLOCK)}
    </time>
  );
}

/** The HTTP status with its error code. 499: the client closed the connection. */
export function Status({ of: { status, error_code } }: { of: Pick<RequestRecord, "status" | "error_code"> }) {
  const detail = error_code ?? DETAILS[status];
  return (
    <span className="outcome">
      <Badge tone={toneOf(status)}>{status}</Badge>
      {detail && <small>{detail}</small>}
    </span>
  );
}

const DETAILS: Record<number, string> = { 101: "live", 499: "client closed" };

function toneOf(status: number) {
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return status < 200 ? "info" : "good";
}

const tokens = (quantity: number) => `${count(quantity)} tokens`;

const QUANTITIES: Record<NonNullable<RequestRecord["billed_unit"]>, (quantity: number) => string> = {
  character: (quantity) => `${count(quantity)} char.`,
  second: seconds,
  input_token: tokens,
  output_token: tokens,
};

/** What was billed, or what was sent if nothing was. */
function quantityOf(request: RequestRecord): string {
  const { billed_quantity, billed_unit, characters, audio_seconds } = request;
  if (billed_unit !== null) return QUANTITIES[billed_unit](billed_quantity);
  if (characters !== null) return `${count(characters)} char.`;
  return audio_seconds === null ? "" : seconds(audio_seconds);
}
