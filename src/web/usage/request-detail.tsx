/** Everything that is kept of one request. What was said or written is not. */
import { Fragment, type ReactNode } from "react";
import { useRead } from "../lib/queries.ts";
import { CopyButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { count, money, ms, seconds } from "../ui/format.ts";
import { Answer, Notice } from "../ui/page.tsx";
import type { Names } from "./names.ts";
import { adviceFor } from "./request-advice.ts";
import type { RequestRecord } from "./request-pages.ts";
import { Moment, Status } from "./request-rows.tsx";

type RequestDetailProps = { id: string; names: Names; onClose: () => void };

export function RequestDetail({ id, names, onClose }: RequestDetailProps) {
  const read = useRead("GET /api/requests/:request", { ids: { request: id } });
  return (
    <Dialog title="Request" onClose={onClose}>
      <div className="request">
        <p className="actions">
          <code>{id}</code> <CopyButton text={id} label="Copy id" />
        </p>
        <Answer of={read}>{(request) => <Known {...{ request, names }} />}</Answer>
        <p className="hint">Text and audio are never stored.</p>
      </div>
    </Dialog>
  );
}

function Known({ request, names }: { request: RequestRecord; names: Names }) {
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
      <Facts title="What happened" facts={happened(request)} />
      <Facts title="Price" facts={priced(request)} />
      <Facts title="Who asked" facts={asked(request, names)} />
    </>
  );
}

type Fact = [name: string, value: ReactNode];

const happened = (request: RequestRecord): Fact[] => [
  ["Time", <Moment key="at" at={request.created_at} />],
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

function priced(request: RequestRecord): Fact[] {
  const { billed_quantity, billed_unit, unit_price_micros, cost_micros, overdraft_micros } = request;
  if (cost_micros === 0 && billed_quantity === 0) return [["Cost", "Nothing was billed"]];
  const price = unit_price_micros === null ? "several prices" : `${money(unit_price_micros)} a million`;
  const unit = billed_unit === null ? "units" : `${billed_unit}s`;
  return [
    ["Cost", money(cost_micros)],
    ["Made of", `${count(billed_quantity)} ${unit} × ${price}`],
    ...request.paid_by.map(
      ({ grant_id, amount_micros }): Fact => [
        `Paid by grant`,
        <>
          {money(amount_micros)} <code>{grant_id}</code>
        </>,
      ],
    ),
    ...(overdraft_micros > 0
      ? [["Overdraft", `${money(overdraft_micros)} that no credit was left for`] satisfies Fact]
      : []),
  ];
}

const asked = (request: RequestRecord, names: Names): Fact[] => [
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
          .map(([name, value], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list that is written out, in one order
            <Fragment key={at}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ))}
      </dl>
    </section>
  );
}
