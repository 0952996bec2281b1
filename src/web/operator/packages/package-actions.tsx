/** Installs, updates and removes a package, and cancels its download. */

import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { byteSize } from "../../format/numbers.ts";
import { controlsTexts } from "../../language/en/controls.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { code } from "../../ui/rich.tsx";
import { isPulling, type Package } from "./package.ts";
import { useInstall } from "./use-install.tsx";

export function PackageActions({ item }: { item: Package }) {
  const install = useInstall(item);
  const cancel = useWrite("DELETE /api/operator/models/:package/pull");
  const [isRemoving, setRemoving] = useState(false);
  const verb = verbOf(item);
  const t = packagesTexts();
  const { name } = item;
  return (
    <>
      <div className="actions">
        {isPulling(item) && (
          <Button
            busy={cancel.isPending}
            aria-label={t("cancelName", { name })}
            onClick={() => cancel.mutate({ ids: { package: item.name } })}
          >
            {controlsTexts()("cancel")}
          </Button>
        )}
        {verb && (
          <Button
            busy={install.isPending}
            aria-label={t(LABELS[verb].name, { name })}
            onClick={() => install.start(null)}
          >
            {verb === "tryAgain" ? controlsTexts()("tryAgain") : t(LABELS[verb].text)}
          </Button>
        )}
        {item.installed_version !== null && !isPulling(item) && (
          <Button kind="danger" aria-label={t("removeName", { name })} onClick={() => setRemoving(true)}>
            {t("doRemove")}
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
  const t = packagesTexts();
  const remove = useWrite("DELETE /api/operator/models/:package");
  return (
    <FormDialog
      kind="danger"
      title={t("removeTitle", { title })}
      submit={t("doRemove")}
      onSubmit={() => remove.mutateAsync({ ids: { package: name } })}
      onClose={onClose}
    >
      <p>
        {size === null
          ? t.rich("removeText", { name, code })
          : t.rich("removeTextSize", { name, size: byteSize(size), code })}
      </p>
    </FormDialog>
  );
}

/** The label of the button that pulls; null while pulling, and when up to date. */
function verbOf({ pull, version, installed_version }: Package): Verb | null {
  if (pull?.status === "running") return null;
  if (pull?.status === "failed") return "tryAgain";
  if (installed_version === null) return "install";
  return installed_version === version ? null : "update";
}

type Verb = keyof typeof LABELS;

/** The words of the button, and those that are read with the name of the package. */
const LABELS = {
  tryAgain: { text: "doInstall", name: "tryAgainName" },
  install: { text: "doInstall", name: "installName" },
  update: { text: "doUpdate", name: "updateName" },
} as const;
