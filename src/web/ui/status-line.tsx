/** A line with the state of an action or its error. */

import { ServerError } from "../api/server.ts";
import { controlsTexts } from "../language/en/controls.ts";

/** `details`: of an error, to look up in the documentation and the log. */
export type Message = { text: string; isError?: boolean; details?: string };

/** An error, with its code and request id as details. */
export function messageOf(error: unknown): Message {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ServerError) || !error.requestId) return { text, isError: true };
  return { text, isError: true, details: `${error.code}, ${error.requestId}` };
}

type StatusLineProps = { id: string; message: Message };

export function StatusLine({ id, message: { text, isError = false, details } }: StatusLineProps) {
  return (
    <div id={id} className={isError ? "status problem" : "status hint"} role="status">
      {text}
      {details && (
        <details>
          <summary>{controlsTexts()("details")}</summary>
          <code>{details}</code>
        </details>
      )}
    </div>
  );
}
