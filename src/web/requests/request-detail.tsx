/** The details of one request, beside the list. Its text and audio are never stored. */

import { useRead } from "../api/queries.ts";
import { searchOf } from "../api/server.ts";
import { useShowsMoney } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { money } from "../format/dollars.ts";
import { languageName } from "../format/language-name.ts";
import { count, ms, seconds } from "../format/numbers.ts";
import { CopyButton, LinkButton } from "../ui/button.tsx";
import { type Fact, Facts } from "../ui/facts.tsx";
import { SidePanel } from "../ui/overlay/side-panel.tsx";
import { Notice } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";
import type { Names } from "../usage/names.ts";
import { adviceFor } from "./error-advice.ts";
import type { RequestRecord } from "./request-pages.ts";
import { Moment, Status } from "./request-table.tsx";
import { TimeLine } from "./time-line.tsx";

type RequestDetailProps = {
  id: string;
  /** The ids of the list, in its order. */
  ids: string[];
  names: Names;
  /** Null closes the details. */
  onOpen: (id: string | null) => void;
};

export function RequestDetail({ id, ids, names, onOpen }: RequestDetailProps) {
  const read = useRead("GET /api/requests/:request", { ids: { request: id } }, { keep: true });
  const at = ids.indexOf(id);
  const opener = (other: string | undefined) => (other ? () => onOpen(other) : undefined);
  return (
    <SidePanel
      title="Request"
      onClose={() => onOpen(null)}
      onPrevious={opener(at > 0 ? ids[at - 1] : undefined)}
      onNext={opener(at < 0 ? undefined : ids[at + 1])}
    >
      <div className="request">
        <p className="actions">
          <code>{id}</code> <CopyButton text={id} label="Copy ID" />
        </p>
        <QueryBoundary of={read}>{(request) => <Details {...{ request, names }} />}</QueryBoundary>
        <p className="hint">Text and audio are never stored.</p>
      </div>
    </SidePanel>
  );
}

function Details({ request, names }: { request: RequestRecord; names: Names }) {
  const advice = adviceFor(request);
  const showsMoney = useShowsMoney();
  return (
    <>
      {advice && (
        <Notice tone={request.status >= 500 ? "bad" : "warn"}>
          <p>
            <strong>
              {request.status} {[request.error_type, request.error_code].filter(Boolean).join(", ")}
            </strong>
          </p>
          {request.error_message && <p>“{request.error_message}”</p>}
          <p>{advice}</p>
        </Notice>
      )}
      <TimeLine of={request} />
      <Section title="Request" facts={requestFacts(request)} />
      {showsMoney && <Section title="Cost" facts={costFacts(request)} />}
      <Section title="Client" facts={clientFacts(request, names)} />
      <p>
        <LinkButton href={playgroundHref(request)}>Open in playground</LinkButton>
      </p>
    </>
  );
}

const TABS: Record<string, string> = { "/v1/audio/transcriptions": "transcribe", "/v1/realtime": "live" };

/** With the same model and voice; the text is not known. */
const playgroundHref = ({ organization_id, endpoint, model, voice }: RequestRecord) =>
  hrefOf(organization_id, "playground") + searchOf({ tab: TABS[endpoint], model, voice });

const requestFacts = (request: RequestRecord): Fact[] => [
  ["Time", <Moment key="at" time={request.created_at} />],
  ["Status", <Status key="status" of={request} />],
  ["Endpoint", `${request.method} ${request.endpoint}`],
  ["Model", request.model],
  ["Voice", request.voice],
  ["Language", request.language === null ? null : languageName(request.language)],
  ["Format", request.response_format],
  ["Streamed", request.stream ? "yes" : "no"],
  ["First audio or text", request.first_audio_ms === null ? null : ms(request.first_audio_ms)],
  ["Final text, median", request.final_text_ms === null ? null : ms(request.final_text_ms)],
  ["Duration", ms(request.duration_ms)],
  ["Characters", request.characters === null ? null : count(request.characters)],
  ["Audio", request.audio_seconds === null ? null : seconds(request.audio_seconds)],
  ["Responses", request.responses === null ? null : count(request.responses)],
  ["Tokens read", request.input_tokens === null ? null : count(request.input_tokens)],
  ["Tokens written", request.output_tokens === null ? null : count(request.output_tokens)],
];

const NAMES_OF_UNITS: Record<RequestRecord["charges"][number]["unit"], string> = {
  character: "characters",
  second: "seconds",
  input_token: "tokens read",
  output_token: "tokens written",
};

function costFacts(request: RequestRecord): Fact[] {
  const { charges, cost_micros, overdraft_micros } = request;
  const billed = charges.filter(({ quantity }) => quantity > 0); // others were refunded
  if (cost_micros === 0 && billed.length === 0) return [["Cost", "Not billed"]];
  return [
    ["Cost", money(cost_micros)],
    ...(request.replay_of
      ? [["Charged with", <code key="replay">{request.replay_of}</code>] satisfies Fact]
      : []),
    ...billed.map(
      ({ model, unit, quantity, unit_price_micros }): Fact => [
        billed.length === 1 ? "Calculation" : model,
        `${count(quantity)} ${NAMES_OF_UNITS[unit]} × ${money(unit_price_micros)} per million`,
      ],
    ),
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
  ["End user", request.end_user],
  ["Label", request.label],
];

const Section = ({ title, facts }: { title: string; facts: Fact[] }) => (
  <section>
    <h3>{title}</h3>
    <Facts of={facts} />
  </section>
);
