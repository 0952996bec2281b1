/** A table of requests; each row opens the details of its request. */

import { Link } from "wouter";
import { useShowsMoney } from "../api/session.ts";
import { ms, seconds } from "../format/numbers.ts";
import { DIRECTION, LANGUAGE, LOCALE } from "../language/chosen.ts";
import { requestTableTexts } from "../language/en/request-table.ts";
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

const BRIEF = ["time", "status", "endpoint", "firstAudio", "duration", "price"] as const;

export function RequestTable({ rows, names, newIds, brief = false, hrefOf, ...rest }: RequestTableProps) {
  const t = requestTableTexts();
  const showsMoney = useShowsMoney();
  const all: Column<RequestRecord>[] = [
    {
      name: t("time"),
      of: ({ id, created_at }) => (
        <Link href={hrefOf(id)} className={newIds?.has(id) ? "row-link at new" : "row-link at"} title={id}>
          <Moment time={created_at} />
          {newIds?.has(id) && <span className="unseen">{t("isNew")}</span>}
        </Link>
      ),
    },
    { name: t("status"), phone: "side", of: (request) => <Status of={request} /> },
    { name: t("endpoint"), of: (request) => <Target of={request} endpoint={endpointOf(request, names)} /> },
    { name: t("voice"), isExtra: true, of: ({ voice }) => voice && <code>{voice}</code> },
    {
      name: t("firstAudio"),
      numeric: true,
      of: ({ first_audio_ms }) => (first_audio_ms === null ? "" : ms(first_audio_ms)),
    },
    { name: t("duration"), numeric: true, of: ({ duration_ms }) => ms(duration_ms) },
    { name: t("quantity"), numeric: true, isExtra: true, of: quantityOf },
    { name: t("price"), numeric: true, of: ({ cost_micros }) => <Money micros={cost_micros} /> },
    { name: t("key"), phone: "hidden", of: ({ key_id }) => <KeyName name={names.nameOf("key", key_id)} /> },
    {
      name: t("id"),
      phone: "hidden",
      of: ({ id }) => (
        <span className="id-cell">
          <code title={id}>{id}</code>
          <CopyIcon text={id} label={t("copyId", { id })} />
        </span>
      ),
    },
  ];
  const columns = showsMoney ? all : all.filter(({ name }) => name !== t("price"));
  const briefNames: string[] = BRIEF.map((id) => t(id));
  return (
    <div className="table-part requests" lang={LANGUAGE} dir={DIRECTION}>
      <Table
        caption={t("caption")}
        columns={brief ? columns.filter(({ name }) => briefNames.includes(name)) : columns}
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
      <span lang="en">{endpoint}</span> {model && <small className="model">{model}</small>}
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
  const detail = error_code ?? (status in DETAILS ? requestTableTexts()(DETAILS[status]!) : null);
  return (
    <span className="outcome">
      <Badge tone={toneOf(status)}>{status}</Badge>
      {detail && <small>{detail}</small>}
    </span>
  );
}

const DETAILS: Record<number, "live" | "clientClosed"> = { 101: "live", 499: "clientClosed" };

function toneOf(status: number) {
  if (status >= 500) return "bad";
  if (status >= 400) return "warn";
  return status < 200 ? "info" : "good";
}

const tokens = (quantity: number) => requestTableTexts()("tokens", { count: quantity });
const characters = (quantity: number) => requestTableTexts()("characters", { count: quantity });

const QUANTITIES: Record<NonNullable<RequestRecord["billed_unit"]>, (quantity: number) => string> = {
  character: characters,
  second: seconds,
  input_token: tokens,
  output_token: tokens,
};

/** What was billed, or what was sent if nothing was. */
function quantityOf(request: RequestRecord): string {
  const { billed_quantity, billed_unit, characters: sent, audio_seconds } = request;
  if (billed_unit !== null) return QUANTITIES[billed_unit](billed_quantity);
  if (sent !== null) return characters(sent);
  return audio_seconds === null ? "" : seconds(audio_seconds);
}
