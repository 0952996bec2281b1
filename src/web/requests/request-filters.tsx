/** The filters of the request log: id, time, outcome and origin. */
import { systemClock, unixSeconds } from "../../clock.ts";
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { localAt, localText, timeIn } from "../usage/date-range.ts";
import { FilterBar, filterQuery, filtersOf, useAddress } from "../usage/filters.tsx";
import type { Names } from "../usage/names.ts";
import { ERROR_CODES } from "./error-advice.ts";
import type { RequestQuery } from "./request-pages.ts";

const LAST: Record<string, [name: string, seconds: number]> = {
  "1h": ["Last hour", 3600],
  "24h": ["Last 24 hours", 86_400],
  "7d": ["Last 7 days", 604_800],
  "30d": ["Last 30 days", 2_592_000],
};
const NUMBERS = ["400", "401", "402", "403", "404", "422", "429", "499", "500", "502", "503"];
const STATUSES = [
  { id: "1xx", name: "1xx sessions" },
  { id: "2xx", name: "2xx success" },
  { id: "4xx", name: "4xx client error" },
  { id: "5xx", name: "5xx server error" },
  ...NUMBERS.map((status) => ({ id: status, name: status })),
];
/** A status or a class of them; others in the address are ignored. */
const STATUS = /^[1-5](\d\d|xx)$/;
const COMPLETE_ID = /^req_[0-9a-z]{24}$/;
const ID_START = /^req_[0-9a-z]{0,24}$/;

/** The query of the management API; `now` in Unix seconds. */
export function requestQuery(search: URLSearchParams, now: number): RequestQuery {
  const query: RequestQuery = filterQuery(filtersOf(search));
  const last = LAST[search.get("last") ?? ""];
  const [start, end] = [timeIn(search, "start"), timeIn(search, "end")];
  if (last) query.start = now - last[1];
  if (start !== null) query.start = start;
  if (end !== null) query.end = end;
  const [status, code, id] = [search.get("status"), search.get("error_code"), search.get("id")];
  if (status && STATUS.test(status)) query.status = status;
  if (code) query.error_code = code;
  if (id && ID_START.test(id)) query.id = id;
  return query;
}

export function RequestFilters({ names }: { names: Names }) {
  return (
    <>
      <Search />
      <div className="filters">
        <Time />
        <Outcome />
        <FilterBar names={names} />
      </div>
    </>
  );
}

/** Extracts an id from pasted text; a complete id opens its request. */
function Search() {
  const [search, change] = useAddress();
  const id = search.get("id") ?? "";
  const find = async ({ id: text = "" }: Record<string, string>) => {
    const match = /req_[0-9a-z]{0,24}/.exec(text)?.[0] ?? "";
    if (text.trim() !== "" && match === "") throw new Error("Request IDs start with req_.");
    change({ id: match, open: COMPLETE_ID.test(match) ? match : null });
  };
  return (
    <search className="search">
      <Form key={id} submit="Search" kind="plain" onSubmit={find}>
        <Field
          label="Request ID"
          name="id"
          type="search"
          placeholder="req_…"
          defaultValue={id}
          autoComplete="off"
        />
      </Form>
    </search>
  );
}

function Time() {
  const [search, change] = useAddress();
  const times = { start: timeIn(search, "start"), end: timeIn(search, "end") };
  const custom = times.start !== null || times.end !== null;
  const choose = (name: string) => {
    if (name !== "custom") return change({ last: name, start: null, end: null });
    const now = unixSeconds(systemClock);
    change({ last: null, start: String(now - 86_400), end: String(now) });
  };
  const set = (bound: "start" | "end", text: string) => {
    const time = localAt(text);
    if (!Number.isNaN(time)) change({ [bound]: String(time) });
  };
  return (
    <>
      <Choice
        label="Time"
        value={custom ? "custom" : (search.get("last") ?? "")}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">Any time</option>
        {Object.entries(LAST).map(([id, [name]]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        <option value="custom">Custom</option>
      </Choice>
      {custom &&
        (["start", "end"] as const).map((bound) => (
          <Field
            key={bound}
            label={bound === "start" ? "From" : "To"}
            type="datetime-local"
            value={times[bound] === null ? "" : localText(times[bound])}
            onChange={(event) => set(bound, event.target.value)}
          />
        ))}
    </>
  );
}

function Outcome() {
  const [search, change] = useAddress();
  return (
    <>
      <FilterChoice
        label="Status"
        value={search.get("status") ?? ""}
        options={STATUSES}
        onChoose={(status) => change({ status })}
      />
      <FilterChoice
        label="Error code"
        value={search.get("error_code") ?? ""}
        options={ERROR_CODES.map((code) => ({ id: code, name: code }))}
        onChoose={(error_code) => change({ error_code })}
      />
    </>
  );
}
