/** Pulls a package, after accepting its licence if that is required, and removes it. */
import { useState } from "react";
import { bytes } from "../../lib/format.ts";
import { useWrite } from "../../lib/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Confirm } from "../../ui/form/confirm.tsx";
import { Check, Form } from "../../ui/form/form.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import type { Package } from "./package.ts";
import { isPulling } from "./package-state.tsx";

export function PackageActions({ item }: { item: Package }) {
  const pull = useWrite("POST /api/operator/models/:package/pull");
  const remove = useWrite("DELETE /api/operator/models/:package");
  const cancel = useWrite("DELETE /api/operator/models/:package/pull");
  const [dialog, setDialog] = useState<"license" | "removal" | null>(null);
  const ids = { package: item.name };
  const close = () => setDialog(null);
  const verb = verbOf(item);
  const start = () => (item.license.acceptance ? setDialog("license") : pull.mutate({ ids, body: {} }));
  return (
    <>
      <div className="row-actions">
        {isPulling(item) && (
          <Button
            busy={cancel.isPending}
            aria-label={`Cancel ${item.name}`}
            onClick={() => cancel.mutate({ ids })}
          >
            Cancel
          </Button>
        )}
        {verb && (
          <Button busy={pull.isPending} aria-label={`${verb} ${item.name}`} onClick={start}>
            {verb}
          </Button>
        )}
        {item.installed_version !== null && item.pull?.status !== "running" && (
          <Button kind="danger" aria-label={`Remove ${item.name}`} onClick={() => setDialog("removal")}>
            Remove
          </Button>
        )}
      </div>
      {pull.error && dialog === null && <Failure error={pull.error} />}
      {dialog === "license" && (
        <License
          item={item}
          onClose={close}
          onAccept={() => pull.mutateAsync({ ids, body: { accept_license: true } })}
        />
      )}
      {dialog === "removal" && (
        <Confirm
          title={`Remove ${item.title}?`}
          submit="Remove"
          onConfirm={() => remove.mutateAsync({ ids })}
          onClose={close}
        >
          <p>
            <code>{item.name}</code> is deleted from this server
            {item.bytes !== null && `, which frees ${bytes(item.bytes)}`}. Its models then use other installed
            engines, or become unavailable.
          </p>
        </Confirm>
      )}
    </>
  );
}

/** The label of the button that pulls; null while pulling, and when up to date. */
function verbOf({ pull, version, installed_version }: Package): string | null {
  if (pull?.status === "running") return null;
  if (pull?.status === "failed") return "Try again";
  if (installed_version === null) return "Install";
  return installed_version === version ? null : "Update";
}

type LicenseProps = { item: Package; onClose: () => void; onAccept: () => Promise<unknown> };

function License({ item: { title, name, license }, onClose, onAccept }: LicenseProps) {
  return (
    <Dialog title={`Licence of ${title}`} onClose={onClose}>
      <Form
        submit={`Accept and install ${name}`}
        onSubmit={async () => {
          await onAccept();
          onClose();
        }}
        actions={<Button onClick={onClose}>Cancel</Button>}
      >
        <p>
          The publisher requires you to accept the licence:{" "}
          <a href={license.url} target="_blank" rel="noreferrer">
            {license.spdx} (in a new tab)
          </a>
        </p>
        <Check name="accepted" required label="I have read and accept the licence" />
      </Form>
    </Dialog>
  );
}
