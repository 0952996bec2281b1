/** The details of one request. Its text and audio are never stored. */
import { Fragment, type ReactNode } from "react";
import { count, money, ms, seconds } from "../lib/format.ts";
import { useRead } from "../lib/queries.ts";
import { CopyButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import type { Names } from "../usage/names.ts";
import { adviceFor } from "./error-advice.ts";
import type { RequestRecord } from "./request-pages.ts";
import { Moment, Status } from "./request-table.tsx";

type RequestDetailProps = { id: string; names: Names; onClose: () => void };

export function RequestDetail({ id, names, onClose }: RequestDetailProps) {
  const read = useRead("GET /api/requests/:request", { ids: { request: id } });
  return (
    <Dialog title="Request" onClose={onClose}>
      <div className="request">
        <p className="actions">
          <code>{id}</code> <CopyButton text={id} label="Copy ID" />
        </p>
        <QueryBoundary of={read}>{(request) => <Details {...{ request, names }} />}</QueryBoundary>
        <p className="hint">Text and audio are never stored.</p>
      </div>
    </Dialog>
  );
}

function Details({ request, names }: { request: RequestRecord; names: Names }) {
  const advice = adviceFor(request);
  return (
    <>
      {advice && (
        <Notice tone={request.status >= 500 ? "bad" : "warn"}>
          <p>
            <strong>
              {request.status} {[request.error_type, request.error_code].filter(Boolean).join(", ")}
            </strong>
          </p>
          <p>{advice}</p>
        </Notice>
      )}
      <Facts title="Request" facts={requestFacts(request)} />
      <Facts title="Cost" facts={costFacts(request)} />
      <Facts title="Client" facts={clientFacts(request, names)} />
    </>
  );
}

type Fact = [name: string, value: ReactNode];

const requestFacts = (request: RequestRecord): Fact[] => [
  ["Time", <Moment key="at" time={request.created_at} />],
  ["Status", <Status key="status" of={request} />],
  ["Endpoint", `${request.method} ${request.endpoint}`],
  ["Model", request.model],
  ["Voice", request.voice],
  ["Format", request.response_format],
  ["Streamed", request.stream ? "yes" : "no"],
  ["First audio or text", request.first_audio_ms === null ? null : ms(request.first_audio_ms)],
  ["Duration", ms(request.duration_ms)],
  ["Characters", request.characters === null ? null : count(request.characters)],
  ["Audio", request.audio_seconds === null ? null : seconds(request.audio_seconds)],
];

function costFacts(request: RequestRecord): Fact[] {
  const { billed_quantity, billed_unit, unit_price_micros, cost_micros, overdraft_micros } = request;
  if (cost_micros === 0 && billed_quantity === 0) return [["Cost", "Not billed"]];
  const price = unit_price_micros === null ? "several prices" : `${money(unit_price_micros)} per million`;
  const unit = billed_unit === null ? "units" : `${billed_unit}s`;
  return [
    ["Cost", money(cost_micros)],
    ["Calculation", `${count(billed_quantity)} ${unit} × ${price}`],
    ...(request.plan === "unmetered" ? [["Deducted", "Nothing: unmetered"] satisfies Fact] : []),
    ...request.paid_by.map(
      ({ grant_id, amount_micros }): Fact => [
        "Paid by grant",
        <>
          {money(amount_micros)} <code>{grant_id}</code>
        </>,
      ],
    ),
    ...(overdraft_micros > 0
      ? [["Overdraft", `${money(overdraft_micros)} not covered by credit`] satisfies Fact]
      : []),
  ];
}

const clientFacts = (request: RequestRecord, names: Names): Fact[] => [
  ["Project", names.nameOf("project", request.project_id)],
  ["API key", names.nameOf("key", request.key_id)],
  ["Environment", names.nameOf("environment", request.environment)],
  ["Address", request.ip],
  ["Client", request.user_agent],
];

function Facts({ title, facts }: { title: string; facts: Fact[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value], index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed list in a fixed order
            <Fragment key={index}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
      </dl>
    </section>
  );
}
