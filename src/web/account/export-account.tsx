/** The archive of what is kept about oneself. */
import { DownloadCard } from "../ui/download-card.tsx";

export const ExportAccount = () => (
  <DownloadCard title="Export" route="POST /api/account/export" input={{}} button="Download the archive">
    <p>
      One ZIP archive of what is kept about you: your account, where you are signed in, your memberships, the
      keys that you made, without secrets, and what you did according to the audit log.
    </p>
  </DownloadCard>
);
