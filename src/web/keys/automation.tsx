/** What programs use this organization with: service accounts, which call the API, and admin keys, which manage it. */
import { useHasRole } from "../api/session.ts";
import { Card, Page } from "../ui/page.tsx";
import { AdminKeys } from "./admin-keys.tsx";
import { ServiceAccounts } from "./service-accounts.tsx";

export function Automation() {
  const isOwner = useHasRole("owner");
  return (
    <Page title="Automation">
      {isOwner ? (
        <>
          <ServiceAccounts />
          <AdminKeys />
        </>
      ) : (
        <Card title="Service accounts and admin keys">
          <p>Only owners of the organization see and create them.</p>
        </Card>
      )}
    </Page>
  );
}
