/** Pulls a package or one of its variants, after its licence is accepted where the publisher requires that. */

import { type ReactNode, useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { packagesTexts } from "../../language/en/packages.ts";
import { Check } from "../../ui/form/form.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import type { Package } from "./package.ts";

type Install = {
  /** Null: the variant that suits this machine, or the only one. */
  start: (variant: string | null) => void;
  isPending: boolean;
  error: Error | null;
  /** Asks for the licence to be accepted. */
  dialog: ReactNode;
};

export function useInstall(item: Package): Install {
  const pull = useWrite("POST /api/operator/models/:package/pull");
  const [asked, setAsked] = useState<{ variant: string | null } | null>(null);
  const requestOf = (variant: string | null) => ({
    ids: { package: item.name },
    body: {
      ...(item.license.acceptance ? { accept_license: true } : {}),
      ...(variant === null ? {} : { variant }),
    },
  });
  return {
    start: (variant) => (item.license.acceptance ? setAsked({ variant }) : pull.mutate(requestOf(variant))),
    isPending: pull.isPending,
    error: asked ? null : pull.error,
    dialog: asked && (
      <License
        item={item}
        onAccept={() => pull.mutateAsync(requestOf(asked.variant))}
        onClose={() => setAsked(null)}
      />
    ),
  };
}

type LicenseProps = { item: Package; onClose: () => void; onAccept: () => Promise<unknown> };

function License({ item: { title, name, license }, onClose, onAccept }: LicenseProps) {
  const t = packagesTexts();
  return (
    <FormDialog
      title={t("licenceOf", { title })}
      onClose={onClose}
      submit={t("accept", { name })}
      onSubmit={() => onAccept()}
    >
      <p>
        {t.rich("mustAccept", {
          licence: license.spdx,
          link: (content) => (
            <a href={license.url} target="_blank" rel="noreferrer">
              {content}
            </a>
          ),
        })}
      </p>
      <Check name="accepted" required label={t("accepted")} />
    </FormDialog>
  );
}
