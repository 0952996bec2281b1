/** Idempotency keys: the same call again has the same answer, and another call under the same key is refused. */
import { Refusal } from "./form.ts";

type Answer = { status: number; value: object };

/** What was refused before anything was begun never comes here, and may be sent again in another way. */
export function openKeys() {
  const answers = new Map<string, { request: string; answer: Answer }>();
  return (key: string, request: string, work: () => Answer): Answer & { replayed: boolean } => {
    const before = answers.get(key);
    if (before && before.request !== request)
      throw new Refusal(400, {
        type: "idempotency_error",
        message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      });
    if (before) return { ...before.answer, replayed: true };
    const answer = structuredClone(work());
    answers.set(key, { request, answer });
    return { ...answer, replayed: false };
  };
}
