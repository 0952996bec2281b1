/** The archive of what is kept about oneself. */
import { accountTexts } from "../language/en/account.ts";
import { DownloadCard } from "../ui/download-card.tsx";

export function ExportAccount() {
  const t = accountTexts();
  return (
    <DownloadCard
      title={t("export")}
      route="POST /api/account/export"
      input={{}}
      button={t("downloadArchive")}
    >
      <p>{t("exportText")}</p>
    </DownloadCard>
  );
}
