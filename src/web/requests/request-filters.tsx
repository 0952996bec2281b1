/** The filters of the request log: id, time, outcome and origin. */
import { FilterChoice } from "../ui/form/filter-choice.tsx";
import { Field, Form } from "../ui/form/form.tsx";
import {
  type Filter,
  filterQuery,
  filtersOf,
  TextFilter,
  useAddress,
  useFilters,
} from "../usage/filters.tsx";
import type { Names } from "../usage/names.ts";
import { TimeChoice, timesIn } from "../usage/time-choice.tsx";
import { ERROR_CODES } from "./error-advice.ts";
import { FoldedFilters } from "./folded-filters.tsx";
import type { RequestQuery } from "./request-pages.ts";

const NUMBERS = ["400", "401", "402", "403", "404", "422", "429", "499", "500", "502", "503"];
const STATUSES = [
  { id: "1xx", name: "1xx sessions" },
  { id: "2xx", name: "2xx success" },
  { id: "4xx", name: "4xx client error" },
  { id: "5xx", name: "5xx server error" },
  ...NUMBERS.map((status) => ({ id: status, name: status })),
];
const LABEL_MAX = 64;
const LANGUAGE = /^[a-z]{2,3}$/;
/** A status or a class of them; others in the address are ignored. */
const STATUS = /^[1-5](\d\d|xx)$/;
const COMPLETE_ID = /^req_[0-9a-z]{24}$/;
const ID_START = /^req_[0-9a-z]{0,24}$/;

/** The query of the management API; `now` in Unix seconds. */
export function requestQuery(search: URLSearchParams, now: number): RequestQuery {
  const query: RequestQuery = { ...filterQuery(filtersOf(search)), ...timesIn(search, now) };
  const [status, code, id] = [search.get("status"), search.get("error_code"), search.get("id")];
  const label = search.get("label");
  if (status && STATUS.test(status)) query.status = status;
  if (code) query.error_code = code;
  const language = search.get("language");
  if (language && LANGUAGE.test(language)) query.language = language;
  if (label) query.label = label.slice(0, LABEL_MAX);
  if (id && ID_START.test(id)) query.id = id;
  return query;
}

/** The id and the time first; others where they are wanted. */
export function RequestFilters({ names }: { names: Names }) {
  const [search, change] = useAddress();
  const language = (
    <TextFilter
      label="Language"
      maxLength={3}
      placeholder="Such as de"
      value={search.get("language") ?? ""}
      onChoose={(code) => change({ language: code.toLowerCase() })}
    />
  );
  const label = (
    <TextFilter
      label="Label"
      maxLength={LABEL_MAX}
      value={search.get("label") ?? ""}
      onChoose={(label) => change({ label })}
    />
  );
  return (
    <div className="filters">
      <Search />
      <TimeChoice />
      <FoldedFilters
        filters={[
          ...useOutcome(),
          ...useFilters(names),
          { name: "language", label: "Language", content: language },
          { name: "label", label: "Label", content: label },
        ]}
      />
    </div>
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
    <search>
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

function useOutcome(): Filter[] {
  const [search, change] = useAddress();
  const choice = (name: string, label: string, options: { id: string; name: string }[]) => ({
    ...{ name, label },
    content: (
      <FilterChoice
        label={label}
        value={search.get(name) ?? ""}
        options={options}
        onChoose={(value) => change({ [name]: value })}
      />
    ),
  });
  return [
    choice("status", "Status", STATUSES),
    choice(
      "error_code",
      "Error code",
      ERROR_CODES.map((code) => ({ id: code, name: code })),
    ),
  ];
}
