/** Standard error, written without blocking the event loop, however slowly it is read. */
import { write as writeFile } from "node:fs";
import { promisify } from "node:util";
import type { Send } from "./log-queue.ts";

const STANDARD_ERROR = 2;

/** Pipes, sockets and files: the stream does not block on them. Its reader may be gone, which is no failure. */
export function sendToStream(stream: {
  write(text: string, written: () => void): unknown;
  on?(event: "error", listener: () => void): unknown;
}): Send {
  stream.on?.("error", () => {});
  return (text, written) => void stream.write(text, () => written());
}

/** A terminal that is stopped (Ctrl+S, a hanging connection) blocks its writer, so another thread is that. */
export function sendToTerminal(descriptor = STANDARD_ERROR): Send {
  const write = promisify(writeFile);
  let last = Promise.resolve();
  return (text, written) => {
    last = last.then(() => write(descriptor, text)).then(written, written);
  };
}
