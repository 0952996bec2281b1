/** The second step of signing in: a code, after the password. */
import { useState } from "react";
import { routeOfCode } from "../api/confirmation.ts";
import { auth, ServerError } from "../api/server.ts";
import { Button } from "../ui/button.tsx";
import { CodeField } from "../ui/form/code-field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Notice } from "../ui/page.tsx";

type CodeStepProps = { onDone: () => void; onBack: () => void };

/** `onBack`: to the password, also when too much time has passed since it. */
export function CodeStep({ onDone, onBack }: CodeStepProps) {
  const [isOver, setOver] = useState(false);
  async function give({ code = "" }: { code?: string }) {
    try {
      await auth(routeOfCode(code), { code });
    } catch (error) {
      if (error instanceof ServerError && error.code === "not_signed_in") return setOver(true);
      throw error;
    }
    onDone();
  }
  if (isOver)
    return (
      <Notice tone="warn">
        <p>Ten minutes have passed since your password, or too many codes were wrong.</p>
        <div className="actions">
          <Button onClick={onBack}>Sign in again</Button>
        </div>
      </Notice>
    );
  return (
    <Form onSubmit={give} submit="Continue" actions={<Button onClick={onBack}>Back</Button>}>
      <CodeField />
      <p className="hint">
        Without your phone, use one of your recovery codes. Without those, ask the operator of this server.
      </p>
    </Form>
  );
}
