/**
 * Request bodies, read with a limit and a patience. Nothing is buffered of a body that says it is too large, and
 * nothing beyond the limit of one that lies; a body that stops arriving is given up.
 */
import { Fault, invalidBody } from "../errors.ts";
import { Gathered } from "../memory/gathered.ts";
import { parseJson } from "./json.ts";

export type Patience = {
  /** The longest silence between two chunks of a body. */
  idleMs: number;
  /** The longest a whole body may take. */
  totalMs: number;
};

export type Reading = { limit: number; tooLarge: () => Fault; patience: Patience };

const JSON_LIMIT = 256 * 1024; // 8,000 characters, each escaped as two \uXXXX, and room for the rest

type JsonReading = {
  /** What no body at all reads as; without it, that is malformed. */
  whenEmpty?: object;
  limitBytes?: number;
};

export async function readJson(
  request: Request,
  patience: Patience,
  { whenEmpty, limitBytes = JSON_LIMIT }: JsonReading = {},
): Promise<unknown> {
  const tooLarge = () => malformed("too_long", `is larger than ${limitBytes} bytes`);
  const bytes = await readBytes(request, { limit: limitBytes, tooLarge, patience });
  if (bytes.length === 0 && whenEmpty) return whenEmpty;
  const { value, problem } = parseJson(utf8(bytes));
  if (problem !== null) throw malformed("malformed", problem);
  return value;
}

function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw malformed("malformed", "is not valid JSON in UTF-8");
  }
}

export async function readBytes(request: Request, reading: Reading): Promise<Buffer<ArrayBuffer>> {
  const gathered = new Gathered();
  await readChunks(request, reading, (chunk) => gathered.append(chunk));
  return gathered.bytes();
}

/** Calls `take` with each chunk as it arrives; what it throws ends the reading. */
export async function readChunks(
  request: Request,
  { limit, tooLarge, patience }: Reading,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (Number(request.headers.get("content-length") ?? 0) > limit) throw tooLarge();
  let sizeBytes = 0;
  for await (const chunk of patiently(request, patience)) {
    sizeBytes += chunk.length;
    if (sizeBytes > limit) throw tooLarge();
    take(chunk);
  }
}

/** A body that cannot be read as what it should be. */
export function malformed(code: "malformed" | "too_long", message: string): Fault {
  return invalidBody([{ field: "", code, message }]);
}

/** One timer each for the silence and for the whole: a body in a million pieces costs no more of them. */
async function* patiently(
  request: Request,
  { idleMs, totalMs }: Patience,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (!request.body) return;
  const reader = request.body.getReader();
  let isLate = false;
  const giveUp = () => {
    isLate = true;
    reader.cancel().catch(() => {}); // which ends the read that waits
  };
  const idle = setTimeout(giveUp, idleMs);
  const total = setTimeout(giveUp, totalMs);
  try {
    for (;;) {
      const step = await reader.read();
      if (isLate) throw malformed("malformed", "did not arrive in time");
      if (step.done) return;
      idle.refresh();
      yield step.value;
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw malformed("malformed", isLate ? "did not arrive in time" : "ended before it was complete");
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    reader.cancel().catch(() => {}); // what is left of it is of no use
  }
}
