/** A field for a code of the second factor. */
import { controlsTexts } from "../../language/en/controls.ts";
import { Field } from "./form.tsx";

/** `isApp`: only a code of the app, not a recovery code. */
export function CodeField({ isApp = false }: { isApp?: boolean }) {
  return (
    <Field
      name="code"
      label={controlsTexts()(isApp ? "codeOfApp" : "codeOrRecovery")}
      autoComplete="one-time-code"
      inputMode={isApp ? "numeric" : "text"}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={isApp ? 16 : 32}
      required
    />
  );
}
