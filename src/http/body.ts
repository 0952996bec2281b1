/**
 * Request bodies, read with a limit and a patience. Nothing is buffered of a body that says it is too large, and
 * nothing beyond the limit of one that lies; a body that stops arriving is given up.
 */
import { Fault, invalidBody } from "../errors.ts";

export type Patience = {
  /** The longest silence between two chunks of a body. */
  idleMs: number;
  /** The longest a whole body may take. */
  totalMs: number;
};

type Reading = { limit: number; tooLarge: () => Fault; patience: Patience };

const JSON_LIMIT = 256 * 1024; // 8,000 characters, each escaped as two \uXXXX, and room for the rest

/** `whenEmpty` is what no body at all reads as; without it, that is malformed. */
export async function readJson(request: Request, patience: Patience, whenEmpty?: object): Promise<unknown> {
  const tooLarge = () => malformed("too_long", `is larger than ${JSON_LIMIT} bytes`);
  const bytes = await readBytes(request, { limit: JSON_LIMIT, tooLarge, patience });
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw malformed("malformed", "is not valid JSON in UTF-8");
  }
}

export async function readBytes(
  request: Request,
  { limit, tooLarge, patience }: Reading,
): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const chunk of patiently(request, patience)) {
    sizeBytes += chunk.length;
    if (sizeBytes > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, sizeBytes);
}

/** A body that cannot be read as what it should be. */
export function malformed(code: "malformed" | "too_long", message: string): Fault {
  return invalidBody([{ field: "", code, message }]);
}

async function* patiently(
  request: Request,
  { idleMs, totalMs }: Patience,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!request.body) return;
  const reader = request.body.getReader();
  const total = deadline(totalMs);
  try {
    for (;;) {
      const idle = deadline(idleMs);
      const step = await Promise.race([reader.read(), idle.passed, total.passed]).finally(idle.clear);
      if (step === "late") throw malformed("malformed", "did not arrive in time");
      if (step.done) return;
      yield step.value;
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw malformed("malformed", "ended before it was complete");
  } finally {
    total.clear();
    reader.cancel().catch(() => {}); // what is left of it is of no use
  }
}

function deadline(ms: number): { passed: Promise<"late">; clear: () => void } {
  let timer: Timer | undefined;
  const passed = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  return { passed, clear: () => clearTimeout(timer) };
}
