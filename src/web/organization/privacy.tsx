/** What the server keeps of the organization's requests, and for how long, which owners choose. */
import { useRead, useWrite } from "../api/queries.ts";
import type { Reply } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { Choice, Field, Form } from "../ui/form/form.tsx";
import { Card } from "../ui/page.tsx";
import { QueryBoundary } from "../ui/query-boundary.tsx";

type Kept = Reply<"GET /api/organizations/:organization">;
type Server = Reply<"GET /api/installation">;

const ADDRESSES = {
  full: "in full",
  truncated: "truncated to their network",
  none: "not at all",
} as const;

const HEADERS = {
  "X-OpenWebUI-User-Email": "Open WebUI: e-mail address",
  "X-OpenWebUI-User-Id": "Open WebUI: id",
  "X-OpenWebUI-User-Name": "Open WebUI: name",
} as const;

export function Privacy() {
  const { id } = useOrganization();
  const kept = useRead("GET /api/organizations/:organization", { ids: { organization: id } });
  const server = useRead("GET /api/installation", {});
  return (
    <Card title="Privacy">
      <p>Audio and text are never stored. Requests are logged without them.</p>
      <QueryBoundary of={kept}>
        {(organization) => (
          <QueryBoundary of={server}>
            {(installation) => <PrivacyFields of={organization} server={installation} />}
          </QueryBoundary>
        )}
      </QueryBoundary>
    </Card>
  );
}

function resultText(days: number | null): string {
  if (days === 0) return "until they are read";
  return days === null ? "for a week" : `for ${days} days`;
}

function PrivacyFacts({ of: kept, server }: { of: Kept; server: Server }) {
  const days = kept.request_log_days ?? server.request_log_days;
  return (
    <dl className="facts">
      <dt>Requests are logged for</dt>
      <dd>{Math.min(days, server.request_log_days)} days</dd>
      <dt>Addresses of clients are logged</dt>
      <dd>{ADDRESSES[kept.request_log_addresses]}</dd>
      <dt>Zero data retention</dt>
      <dd>{kept.data_retention === "none" ? "off" : "on"}</dd>
      <dt>New keys last</dt>
      <dd>{kept.key_max_days === null ? "as they are made" : `${kept.key_max_days} days at most`}</dd>
      <dt>Results of jobs are kept</dt>
      <dd>{resultText(kept.job_result_days)}</dd>
      <dt>End users are named by</dt>
      <dd>
        {kept.end_user_header === null
          ? "the field user alone"
          : `the field user, or ${HEADERS[kept.end_user_header]}`}
      </dd>
      <dt>Names of end users are stored</dt>
      <dd>{kept.end_users_hashed ? "as a hash" : "as they are"}</dd>
    </dl>
  );
}

function PrivacyFields({ of: kept, server }: { of: Kept; server: Server }) {
  const isOwner = useHasRole("owner");
  const { mutateAsync: change } = useWrite("PATCH /api/organizations/:organization");
  if (!isOwner) return <PrivacyFacts of={kept} server={server} />;
  return (
    <Form
      submit="Save"
      onSubmit={({ days = "", addresses, retention, keys = "", results = "", header = "", hashed }) =>
        change({
          ids: { organization: kept.id },
          body: {
            request_log_days: days === "" ? null : Number(days),
            request_log_addresses: addresses as keyof typeof ADDRESSES,
            data_retention: retention ? "zero_data_retention" : "none",
            key_max_days: keys === "" ? null : Number(keys),
            job_result_days: results === "" ? null : Number(results),
            end_user_header: header === "" ? null : (header as keyof typeof HEADERS),
            end_users_hashed: Boolean(hashed),
          },
        })
      }
    >
      <Field
        name="days"
        label="Days that requests are logged"
        hint={`At most ${server.request_log_days}, as this server keeps them. Usage and charges are kept.`}
        type="number"
        min={1}
        max={server.request_log_days}
        defaultValue={kept.request_log_days ?? ""}
        placeholder={String(server.request_log_days)}
      />
      <Choice
        name="addresses"
        label="Addresses of clients are logged"
        defaultValue={kept.request_log_addresses}
      >
        {Object.entries(ADDRESSES).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Choice>
      <Choice
        name="retention"
        label="Zero data retention"
        hint="Then no address, client program, end user or error message of a request is stored."
        defaultValue={kept.data_retention === "none" ? "" : "on"}
      >
        <option value="">off</option>
        <option value="on">on</option>
      </Choice>
      <Field
        name="keys"
        label="Days that new API keys last at most"
        hint="Empty: forever, unless this server says otherwise."
        type="number"
        min={1}
        max={server.key_max_days ?? 36_500}
        defaultValue={kept.key_max_days ?? ""}
      />
      <Field
        name="results"
        label="Days that results of jobs are kept"
        hint="Empty: a week. 0: until they are read, and a day at most."
        type="number"
        min={0}
        max={30}
        defaultValue={kept.job_result_days ?? ""}
      />
      <EndUserFields of={kept} />
    </Form>
  );
}

/** Whom the requests of one key are for. */
function EndUserFields({ of: kept }: { of: Kept }) {
  return (
    <>
      <Choice
        name="header"
        label="End users are named by"
        hint="The field user of a request comes first. Requests and Usage show who used what."
        defaultValue={kept.end_user_header ?? ""}
      >
        <option value="">the field user alone</option>
        {Object.entries(HEADERS).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </Choice>
      <Choice
        name="hashed"
        label="Names of end users are stored"
        hint="Hashed ones are found by their name, and shown as their hash."
        defaultValue={kept.end_users_hashed ? "on" : ""}
      >
        <option value="">as they are</option>
        <option value="on">as a hash</option>
      </Choice>
    </>
  );
}
