/** The variants of a package, which differ in precision: several can be installed side by side, and each be removed. */

import { useState } from "react";
import { useWrite } from "../../api/queries.ts";
import { byteSize } from "../../format/numbers.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Failure } from "../../ui/query-boundary.tsx";
import { isPulling, type Package } from "./package.ts";
import { useInstall } from "./use-install.tsx";

type Variant = Package["variants"][number];

/** Nothing for packages with one precision only. */
export function PackageVariants({ item }: { item: Package }) {
  const install = useInstall(item);
  const [removed, setRemoved] = useState<Variant | null>(null);
  if (item.variants.length < 2) return null;
  const installed = item.variants.filter((variant) => variant.installed).map(({ name }) => name);
  return (
    <details className="variants">
      <summary>
        {item.variants.length} variants{installed.length > 0 && `, installed: ${installed.join(", ")}`}
      </summary>
      <ul>
        {item.variants.map((variant, index) => (
          <li key={variant.name}>
            <span>
              <code>{variant.name}</code> <small>{detailsOf(variant, index === 0)}</small>
            </span>
            <Button
              kind={variant.installed ? "danger" : "plain"}
              disabled={isPulling(item) || install.isPending}
              aria-label={`${variant.installed ? "Remove" : "Install"} ${item.name} ${variant.name}`}
              onClick={() => (variant.installed ? setRemoved(variant) : install.start(variant.name))}
            >
              {variant.installed ? "Remove" : "Install"}
            </Button>
          </li>
        ))}
      </ul>
      {install.error && <Failure error={install.error} />}
      {install.dialog}
      {removed && (
        <Removal
          item={item}
          variant={removed.name}
          isLast={installed.length === 1}
          onClose={() => setRemoved(null)}
        />
      )}
    </details>
  );
}

const detailsOf = ({ bytes: size }: Variant, isFirst: boolean): string =>
  [size === null ? "size unknown" : byteSize(size), ...(isFirst ? ["suits this machine"] : [])].join(" · ");

type RemovalProps = { item: Package; variant: string; isLast: boolean; onClose: () => void };

function Removal({ item: { name, title }, variant, isLast, onClose }: RemovalProps) {
  const remove = useWrite("DELETE /api/operator/models/:package");
  return (
    <FormDialog
      kind="danger"
      title={`Remove ${variant} of ${title}?`}
      submit="Remove"
      onSubmit={() => remove.mutateAsync({ ids: { package: name }, query: { variant } })}
      onClose={onClose}
    >
      <p>
        {isLast
          ? "It is the only installed variant: the package is removed with it."
          : "The other installed variants stay, and serve its models."}
      </p>
    </FormDialog>
  );
}
