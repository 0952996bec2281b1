/** The archive of an organization, which owners download. */
import { useHasRole, useOrganization } from "../api/session.ts";
import { DownloadCard } from "../ui/download-card.tsx";

export function ExportOrganization() {
  const { id: organization } = useOrganization();
  const isOwner = useHasRole("owner");
  return (
    <DownloadCard
      title="Export"
      route="POST /api/organizations/:organization/export"
      input={{ ids: { organization } }}
      button={isOwner ? "Download the archive" : null}
    >
      <p>
        One ZIP archive of what is kept of the organization: members, projects, keys without secrets,
        requests, usage, credit, payments, voices with their recordings, pronunciations, jobs and the audit
        log.
      </p>
      {!isOwner && <p className="hint">Only an owner can download it.</p>}
    </DownloadCard>
  );
}
