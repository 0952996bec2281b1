/** A form in a dialog, which closes once the form was submitted. A destructive action has the kind `danger`. */

import type { ComponentProps } from "react";
import { controlsTexts } from "../../language/en/controls.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../overlay/dialog.tsx";
import { Form } from "./form.tsx";

type FormDialogProps = Omit<ComponentProps<typeof Form>, "actions"> & {
  title: string;
  onClose: () => void;
};

/** `onSubmit`: when it rejects, the dialog stays open and shows the error. */
export function FormDialog({ title, onClose, onSubmit, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        {...form}
        actions={<Button onClick={onClose}>{controlsTexts()("cancel")}</Button>}
        onSubmit={async (values, all) => {
          await onSubmit(values, all);
          onClose();
        }}
      />
    </Dialog>
  );
}
