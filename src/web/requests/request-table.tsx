/** A table of requests; each row links to the details of its request. */
import { Link } from "wouter";
import { count, money, ms, seconds } from "../lib/format.ts";
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
  empty: React.ReactNode;
};

const BRIEF = ["Time", "Request", "Endpoint", "Model", "Status", "Duration", "Price"];

export function RequestTable({ rows, names, newIds, brief = false, hrefOf, empty }: RequestTableProps) {
  const columns: Column<RequestRecord>[] = [
    {
      name: "Time",
      of: ({ id, created_at }) => (
        <span className="at">
          <Moment time={created_at} />
          {newIds?.has(id) && <Badge tone="good">new</Badge>}
        </span>
      ),
    },
    {
      name: "Request",
      of: ({ id }) => (
        <Link href={hrefOf(id)} title={id}>
          <code>{id}</code>
        </Link>
      ),
    },
    { name: "Endpoint", of: ({ endpoint }) => names.nameOf("endpoint", endpoint) },
    { name: "Model", of: ({ model }) => model ?? "–" },
    { name: "Status", of: (request) => <Status of={request} /> },
    {
      name: "First audio",
      numeric: true,
      of: ({ first_audio_ms }) => (first_audio_ms === null ? "–" : ms(first_audio_ms)),
    },
    { name: "Duration", numeric: true, of: ({ duration_ms }) => ms(duration_ms) },
    { name: "Quantity", numeric: true, of: quantityOf },
    { name: "Price", numeric: true, of: ({ cost_micros }) => money(cost_micros) },
    { name: "API key", of: ({ key_id }) => names.nameOf("key", key_id) },
  ];
  return (
    <div className="requests">
      <Table
        caption="Requests, newest first"
        columns={brief ? columns.filter(({ name }) => BRIEF.includes(name)) : columns}
        rows={rows}
        keyOf={({ id }) => id}
        empty={empty}
      />
    </div>
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
      {date.toLocaleString(undefined, CLOCK)}
    </time>
  );
}

/** The HTTP status with its error code. 499: the client closed the connection. */
export function Status({ of: { status, error_code } }: { of: Pick<RequestRecord, "status" | "error_code"> }) {
  const detail = error_code ?? DETAILS[status];
  return (
    <>
      <Badge tone={toneOf(status)}>{status}</Badge>
      {detail && <small className="what"> {detail}</small>}
    </>
  );
}

const DETAILS: Record<number, string> = { 101: "session", 499: "client closed" };

function toneOf(status: number) {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

/** What was billed, or what was sent if nothing was. */
function quantityOf(request: RequestRecord): string {
  const { billed_quantity, billed_unit, characters, audio_seconds } = request;
  if (billed_unit === "character") return `${count(billed_quantity)} char.`;
  if (billed_unit === "second") return seconds(billed_quantity);
  if (characters !== null) return `${count(characters)} char.`;
  return audio_seconds === null ? "–" : seconds(audio_seconds);
}
