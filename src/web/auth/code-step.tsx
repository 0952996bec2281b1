/** The second step of signing in: a code, after the password. */

import { useState } from "react";
import { routeOfCode } from "../api/confirmation.ts";
import { auth, ServerError } from "../api/server.ts";
import { signInTexts } from "../language/en/sign-in.ts";
import { Button } from "../ui/button.tsx";
import { CodeField } from "../ui/form/code-field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Notice } from "../ui/page.tsx";

type CodeStepProps = { onDone: () => void; onBack: () => void };

/** `onBack`: to the password, also when too much time has passed since it. */
export function CodeStep({ onDone, onBack }: CodeStepProps) {
  const t = signInTexts();
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
        <p>{t("factorOver")}</p>
        <div className="actions">
          <Button onClick={onBack}>{t("signInAgain")}</Button>
        </div>
      </Notice>
    );
  return (
    <Form onSubmit={give} submit={t("continue")} actions={<Button onClick={onBack}>{t("back")}</Button>}>
      <CodeField />
      <p className="hint">{t("recoveryHint")}</p>
    </Form>
  );
}
