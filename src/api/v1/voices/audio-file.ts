/** The answer with a recording that is kept. */
import { Refusal } from "../../../errors.ts";

export const PRIVATE = { "cache-control": "private, no-store" };

/** `param`: the field that names what the recording is of. */
export function audioFile(wav: Buffer | null, { id, param }: { id: string; param: string }): Response {
  if (wav === null) throw new Refusal("not_found", `${id} has no such recording.`, { param });
  return new Response(new Uint8Array(wav), { headers: { ...PRIVATE, "content-type": "audio/wav" } });
}
