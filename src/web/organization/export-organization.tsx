/** The archive of an organization, which owners download. */
import { useHasRole, useOrganization } from "../api/session.ts";
import { useDownload } from "../api/use-download.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";

export function ExportOrganization() {
  const { id: organization } = useOrganization();
  const isOwner = useHasRole("owner");
  const { busy, failure, download } = useDownload("POST /api/organizations/:organization/export");
  return (
    <Card title="Export">
      <p>
        One ZIP archive of what is kept of the organization: members, projects, keys without secrets,
        requests, usage, credit, payments, voices with their recordings, pronunciations, jobs and the audit
        log.
      </p>
      {failure && <Failure {...failure} />}
      {isOwner ? (
        <div className="actions">
          <Button busy={busy !== null} onClick={() => download("archive", { ids: { organization } })}>
            Download the archive
          </Button>
        </div>
      ) : (
        <p className="hint">Only an owner can download it.</p>
      )}
    </Card>
  );
}
