/** Requests as rows: each opens what is known of it. */
import { Link } from "wouter";
import { count, money, ms, seconds } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { type Column, Table } from "../ui/table.tsx";
import type { Names } from "./names.ts";
import type { RequestRecord } from "./request-pages.ts";

type RequestRowsProps = {
  rows: RequestRecord[];
  names: Names;
  fresh?: ReadonlySet<string>;
  /** Only what says how it goes. */
  brief?: boolean;
  /** The address that shows one. */
  hrefOf: (id: string) => string;
  empty: React.ReactNode;
};

const BRIEF = ["Time", "Request", "Endpoint", "Model", "Status", "Duration", "Price"];

export function RequestRows({ rows, names, fresh, brief = false, hrefOf, empty }: RequestRowsProps) {
  const columns: Column<RequestRecord>[] = [
    {
      name: "Time",
      of: ({ id, created_at }) => (
        <span className="at">
          <Moment at={created_at} />
          {fresh?.has(id) && <Badge tone="good">new</Badge>}
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

/** Logs say when, not how long ago. */
export function Moment({ at }: { at: number }) {
  const date = new Date(at * 1000);
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {date.toLocaleString(undefined, CLOCK)}
    </time>
  );
}

/** Its number, and what went wrong; 499 is a client that left. */
export function Status({ of: { status, error_code } }: { of: Pick<RequestRecord, "status" | "error_code"> }) {
  const tone = status >= 500 ? "bad" : status >= 400 ? "warn" : "good";
  const what = error_code ?? (status === 499 ? "client left" : status === 101 ? "session" : null);
  return (
    <>
      <Badge tone={tone}>{status}</Badge>
      {what && <small className="what"> {what}</small>}
    </>
  );
}

/** What was billed; else what was sent. */
function quantityOf(request: RequestRecord): string {
  const { billed_quantity, billed_unit, characters, audio_seconds } = request;
  if (billed_unit === "character") return `${count(billed_quantity)} char.`;
  if (billed_unit === "second") return seconds(billed_quantity);
  if (characters !== null) return `${count(characters)} char.`;
  return audio_seconds === null ? "–" : seconds(audio_seconds);
}
