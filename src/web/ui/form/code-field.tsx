/** A field for a code of the second factor. */
import { Field } from "./form.tsx";

/** `isApp`: only a code of the app, not a recovery code. */
export function CodeField({ isApp = false }: { isApp?: boolean }) {
  return (
    <Field
      name="code"
      label={isApp ? "Code of the app" : "Code of your authenticator app, or a recovery code"}
      autoComplete="one-time-code"
      inputMode={isApp ? "numeric" : "text"}
      autoCapitalize="none"
      spellCheck={false}
      maxLength={isApp ? 16 : 32}
      required
    />
  );
}
