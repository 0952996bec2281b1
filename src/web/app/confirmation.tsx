/** The dialog that asks for a code of the second factor, wherever a request needs one. The request is repeated then. */

import { useSyncExternalStore } from "react";
import { questions, routeOfCode } from "../api/confirmation.ts";
import { auth } from "../api/server.ts";
import { controlsTexts } from "../language/en/controls.ts";
import { CodeField } from "../ui/form/code-field.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";

export function Confirmation() {
  const question = useSyncExternalStore(questions.subscribe, questions.current);
  if (question === null) return null;
  return (
    <FormDialog
      title={controlsTexts()("confirmTitle")}
      submit={controlsTexts()("confirm")}
      onSubmit={async ({ code = "" }) => {
        await auth(routeOfCode(code), { code });
        question.answer(true);
      }}
      onClose={() => question.answer(false)}
    >
      <p>{controlsTexts()("confirmText")}</p>
      <CodeField />
    </FormDialog>
  );
}
