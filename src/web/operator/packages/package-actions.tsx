/** Installs, updates and removes a package, and cancels its download. */

import { useState } from "react";
import { byteText } from "../../../byte-text.ts";
import { useWrite } from "../../api/queries.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { isPulling, type Package } from "./package.ts";
import { useInstall } from "./use-install.tsx";

export function PackageActions({ item }: { item: Package }) {
  const install = useInstall(item);
  const cancel = useWrite("DELETE /api/operator/models/:package/pull");
  const [isRemoving, setRemoving] = useState(false);
  const verb = verbOf(item);
  return (
    <>
      <div className="actions">
        {isPulling(item) && (
          <Button
            busy={cancel.isPending}
            aria-label={`Cancel ${item.name}`}
            onClick={() => cancel.mutate({ ids: { package: item.name } })}
          >
            Cancel
          </Button>
        )}
        {verb && (
          <Button
            busy={install.isPending}
            aria-label={`${verb} ${item.name}`}
            onClick={() => install.start(null)}
          >
            {verb}
          </Button>
        )}
        {item.installed_version !== null && !isPulling(item) && (
          <Button kind="danger" aria-label={`Remove ${item.name}`} onClick={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      {install.error && <Failure error={install.error} />}
      {install.dialog}
      {isRemoving && <Removal item={item} onClose={() => setRemoving(false)} />}
    </>
  );
}

function Removal({ item: { name, title, bytes: size }, onClose }: { item: Package; onClose: () => void }) {
  const remove = useWrite("DELETE /api/operator/models/:package");
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${title}?`}
      submit="Remove"
      onSubmit={() => remove.mutateAsync({ ids: { package: name } })}
      onClose={onClose}
    >
      <p>
        <code>{name}</code> is deleted from this server
        {size !== null && `, which frees ${byteText(size)}`}. Its models then use other installed engines, or
        become unavailable.
      </p>
    </FormDialog>
  );
}

/** The label of the button that pulls; null while pulling, and when up to date. */
function verbOf({ pull, version, installed_version }: Package): string | null {
  if (pull?.status === "running") return null;
  if (pull?.status === "failed") return "Try again";
  if (installed_version === null) return "Install";
  return installed_version === version ? null : "Update";
}
