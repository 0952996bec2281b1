/** The filters of the request log: id, time, outcome and origin. */
import { systemClock, unixSeconds } from "../../clock.ts";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { localAt, localText } from "../usage/date-range.ts";
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
const STATUSES: Record<string, string> = {
  "1xx": "1xx sessions",
  "2xx": "2xx success",
  "4xx": "4xx client error",
  "5xx": "5xx server error",
};
const NUMBERS = ["400", "401", "402", "403", "404", "422", "429", "499", "500", "502", "503"];
/** A status or a class of them; others in the address are ignored. */
const STATUS = /^[1-5](\d\d|xx)$/;
const COMPLETE_ID = /^req_[0-9a-z]{24}$/;
const ID_START = /^req_[0-9a-z]{0,24}$/;

/** The query of the management API; `now` in Unix seconds. */
export function requestQuery(search: URLSearchParams, now: number): RequestQuery {
  const query: RequestQuery = filterQuery(filtersOf(search));
  const last = LAST[search.get("last") ?? ""];
  const [start, end] = [Number(search.get("start")), Number(search.get("end"))];
  if (last) query.start = now - last[1];
  if (start > 0) query.start = start;
  if (end > 0) query.end = end;
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
  const [start, end] = [search.get("start"), search.get("end")];
  const custom = start !== null || end !== null;
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
            value={search.has(bound) ? localText(Number(search.get(bound))) : ""}
            onChange={(event) => set(bound, event.target.value)}
          />
        ))}
    </>
  );
}

function Outcome() {
  const [search, change] = useAddress();
  const options = (all: string[], chosen: string | null, names: Record<string, string> = {}) =>
    [...new Set(chosen ? [...all, chosen] : all)].map((value) => (
      <option key={value} value={value}>
        {names[value] ?? value}
      </option>
    ));
  const [status, code] = [search.get("status"), search.get("error_code")];
  return (
    <>
      <Choice
        label="Status"
        value={status ?? ""}
        onChange={(event) => change({ status: event.target.value })}
      >
        <option value="">All</option>
        {options([...Object.keys(STATUSES), ...NUMBERS], status, STATUSES)}
      </Choice>
      <Choice
        label="Error code"
        value={code ?? ""}
        onChange={(event) => change({ error_code: event.target.value })}
      >
        <option value="">All</option>
        {options(ERROR_CODES, code)}
      </Choice>
    </>
  );
}
