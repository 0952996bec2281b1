/** Asks once more before something is taken away; the title names what. */
import type { ReactNode } from "react";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { Form } from "./form.tsx";

type ConfirmProps = {
  title: string;
  /** The button: what will be done. */
  submit: string;
  /** Closes by itself when it is done; what is refused is said here. */
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
