/** Deleting one's own account, with the password or shortly after signing in. */
import { useState } from "react";
import { queryClient } from "../api/queries.ts";
import { call } from "../api/server.ts";
import { useSession } from "../api/session.ts";
import { leaveFor } from "../browser/addresses.ts";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { Password } from "../ui/form/password.tsx";
import { Card } from "../ui/page.tsx";

export function DeleteAccount() {
  const [isAsking, setAsking] = useState(false);
  return (
    <Card title="Delete your account">
      <p>
        You leave your organizations, and the keys that you made there are revoked. Where you are the only
        owner, make another member one first, or delete the organization under its settings.
      </p>
      <div className="actions">
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete your account
        </Button>
      </div>
      {isAsking && <AskDialog onClose={() => setAsking(false)} />}
    </Card>
  );
}

function AskDialog({ onClose }: { onClose: () => void }) {
  const { user, provider } = useSession();
  return (
    <FormDialog
      kind="danger"
      title="Delete your account?"
      submit="Delete the account"
      onSubmit={async ({ password }) => {
        await call("POST /api/account/delete", { body: password ? { password } : {} });
        queryClient.clear();
        leaveFor("/sign-in");
      }}
      onClose={onClose}
    >
      <p>The account of {user.email} is deleted at once, which cannot be undone.</p>
      {provider === null ? (
        <Password name="password" label="Your password" />
      ) : (
        <p className="hint">If you signed in more than 15 minutes ago, sign out and in again first.</p>
      )}
    </FormDialog>
  );
}
