/** A password's field, that shows what is typed to who asks. */
import { useState } from "react";
import { Check, Field } from "../ui/form.tsx";

type PasswordProps = { name: string; label: string; isNew?: boolean };

/** The server holds to the same bounds. */
export function Password({ name, label, isNew = false }: PasswordProps) {
  const [shown, setShown] = useState(false);
  const bounds = isNew ? { minLength: 10, maxLength: 128, hint: "At least 10 characters." } : {};
  return (
    <>
      <Field
        {...bounds}
        name={name}
        label={label}
        type={shown ? "text" : "password"}
        autoComplete={isNew ? "new-password" : "current-password"}
        autoCapitalize="none"
        spellCheck={false}
        required
      />
      <Check
        label={`Show ${label.toLowerCase()}`}
        checked={shown}
        onChange={(event) => setShown(event.target.checked)}
      />
    </>
  );
}
