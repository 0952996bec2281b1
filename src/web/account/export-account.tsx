/** The archive of what is kept about oneself. */
import { useDownload } from "../api/use-download.ts";
import { Button } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { Failure } from "../ui/query-boundary.tsx";

export function ExportAccount() {
  const { busy, failure, download } = useDownload("POST /api/account/export");
  return (
    <Card title="Export">
      <p>
        One ZIP archive of what is kept about you: your account, where you are signed in, your memberships,
        the keys that you made, without secrets, and what you did according to the audit log.
      </p>
      {failure && <Failure {...failure} />}
      <div className="actions">
        <Button busy={busy !== null} onClick={() => download("archive", {})}>
          Download the archive
        </Button>
      </div>
    </Card>
  );
}
