/** Removes what an operator defined, once its consequences were read. */
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";

/** `children`: what follows from it. */
type RemoveButtonProps = { name: string; remove: () => Promise<unknown>; children: ReactNode };

export function RemoveButton({ name, remove, children }: RemoveButtonProps) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button kind="danger" aria-label={`Remove ${name}`} onClick={() => setAsking(true)}>
        Remove
      </Button>
      {isAsking && (
        <FormDialog
          kind="danger"
          title={`Remove ${name}?`}
          submit="Remove"
          onSubmit={remove}
          onClose={() => setAsking(false)}
        >
          <p>{children}</p>
        </FormDialog>
      )}
    </>
  );
}
