/** The archive of an organization, which owners download. */
import { useState } from "react";
import { fileOf } from "../api/server.ts";
import { useHasRole, useOrganization } from "../api/session.ts";
import { save } from "../browser/save-file.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";

export function ExportOrganization() {
  const { id: organization } = useOrganization();
  const isOwner = useHasRole("owner");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  async function download() {
    setBusy(true);
    setError(null);
    try {
      const ids = { organization };
      const { name, content } = await fileOf("POST /api/organizations/:organization/export", { ids });
      save(name, content);
    } catch (cause) {
      setError(cause as Error);
    }
    setBusy(false);
  }
  return (
    <Card title="Export">
      <p>
        One ZIP archive of what is kept of the organization: members, projects, keys without secrets,
        requests, usage, credit, payments, voices with their recordings, pronunciations, jobs and the audit
        log.
      </p>
      {error && <Failure error={error} retry={() => void download()} />}
      {isOwner ? (
        <div className="actions">
          <Button busy={isBusy} onClick={() => void download()}>
            Download the archive
          </Button>
        </div>
      ) : (
        <p className="hint">Only an owner can download it.</p>
      )}
    </Card>
  );
}
