/** Shows whether a call with a key has arrived: only a success turns it green; a refusal says what to do. */
import { Link } from "wouter";
import { useRead } from "../api/queries.ts";
import { useOrganization } from "../api/session.ts";
import { hrefOf } from "../browser/navigation.ts";
import { adviceFor } from "../requests/error-advice.ts";

const EVERY_MS = 1000;
const LATEST = 20;

export function CallLight({ keyId }: { keyId: string }) {
  const { id } = useOrganization();
  const { data } = useRead(
    "GET /api/organizations/:organization/requests",
    { ids: { organization: id }, query: { key_id: keyId, limit: LATEST } },
    { everyMs: (last) => (last?.data.some(isSuccess) ? 0 : EVERY_MS) },
  );
  const requests = data?.data ?? [];
  const request = requests.find(isSuccess) ?? requests[0];
  if (!request)
    return (
      <p className="light" role="status">
        Waiting for the first call with this key …
      </p>
    );
  const details = <Link href={`${hrefOf(id, "requests")}?open=${request.id}`}>View the request</Link>;
  if (isSuccess(request))
    return (
      <p className="light good" role="status">
        <span>
          <strong>Connected.</strong> A call with this key succeeded. {details}
        </span>
      </p>
    );
  return (
    <p className="light bad" role="status">
      <span>
        <strong>A call arrived and was refused</strong> ({request.error_code ?? request.status}).{" "}
        {adviceFor(request)} {details}
      </span>
    </p>
  );
}

const isSuccess = ({ status }: { status: number }): boolean => status < 400;
