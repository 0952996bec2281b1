/** Asks for confirmation of a destructive action. */
import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { Form } from "./form.tsx";

type ConfirmProps = {
  title: string;
  /** The label of the button: the action. */
  submit: string;
  /** The dialog closes when this resolves, and shows the error when it rejects. */
  onConfirm: (values: Record<string, string>) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
};

export function Confirm({ title, submit, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        submit={submit}
        kind="danger"
        actions={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async (values) => {
          await onConfirm(values);
          onClose();
        }}
      >
        {children}
      </Form>
    </Dialog>
  );
}
