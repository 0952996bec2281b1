/** A line with the state of an action or its error. */
import { ServerError } from "../api/server.ts";

export type Message = { text: string; isError?: boolean };

/** An error with its code and request id, to look up in the documentation and the log. */
export function messageOf(error: unknown): Message {
  const text = error instanceof Error ? error.message : String(error);
  if (!(error instanceof ServerError) || !error.requestId) return { text, isError: true };
  return { text: `${text} (${error.code}, ${error.requestId})`, isError: true };
}

export function StatusLine({ id, message: { text, isError = false } }: { id: string; message: Message }) {
  return (
    <p id={id} className={isError ? "status problem" : "status hint"} role="status">
      {text}
    </p>
  );
}
