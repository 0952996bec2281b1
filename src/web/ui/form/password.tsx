/** A password field that can show what is typed. */

import { useState } from "react";
import { controlsTexts } from "../../language/en/controls.ts";
import { Button } from "../button.tsx";
import { Field } from "./form.tsx";

type PasswordProps = { name: string; label: string; isNew?: boolean };

/** The server enforces the same bounds. */
export function Password({ name, label, isNew = false }: PasswordProps) {
  const t = controlsTexts();
  const [isVisible, setVisible] = useState(false);
  const bounds = isNew ? { minLength: 10, maxLength: 128, hint: t("passwordHint") } : {};
  return (
    <Field
      {...bounds}
      name={name}
      label={label}
      type={isVisible ? "text" : "password"}
      autoComplete={isNew ? "new-password" : "current-password"}
      autoCapitalize="none"
      spellCheck={false}
      required
      inside={
        <Button
          kind="quiet"
          aria-label={t(isVisible ? "hideField" : "showField", { field: label })}
          onClick={() => setVisible(!isVisible)}
        >
          {t(isVisible ? "hide" : "show")}
        </Button>
      }
    />
  );
}
