/** Deleting one's own account, with the password or shortly after signing in. */
import { useState } from "react";
import { queryClient } from "../api/queries.ts";
import { call } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { leaveFor } from "../browser/addresses.ts";
import { accountTexts } from "../language/en/account.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Password } from "../ui/form/password.tsx";
import { Card } from "../ui/page.tsx";

export function DeleteAccount() {
  const t = accountTexts();
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title={t("delete")}>
      <p>{t("deleteText")}</p>
      <div className="actions">
        <Button kind="danger" onClick={() => setAsking(true)}>
          {t("delete")}
        </Button>
      </div>
      {isAsking && <AskDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function AskDialog({ onClose }: { onClose: () => void }) {
  const t = accountTexts();
  const { user, provider } = useSession();
  return (
    <FormDialog
      kind="danger"
      title={t("deleteTitle")}
      submit={t("doDelete")}
      onSubmit={async ({ password }) => {
        await call("POST /api/account/delete", { body: password ? { password } : {} });
        queryClient.clear();
        leaveFor("/sign-in");
      }}
      onClose={onClose}
    >
      <p>{t("deleteSure", { email: user.email })}</p>
      {provider === null ? (
        <Password name="password" label={t("yourPassword")} />
      ) : (
        <p className="hint">{t("signInAgain")}</p>
      )}
    </FormDialog>
  );
}
