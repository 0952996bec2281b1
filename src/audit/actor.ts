/**
 * Who makes the changes of a call: a person, an operator, a key, the command line, or the server itself.
 *
 * What writes the audit log lies many calls below what knows this, so it is kept with the asynchronous call instead of being
 * passed through everything between.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { ActorType } from "../audit-types.ts";

/** `id`: of the user or of the key. `email`: of a user. */
export type Actor = {
  type: ActorType;
  id: string | null;
  email: string | null;
  address: string | null;
  userAgent: string | null;
};

const NO_PERSON = { id: null, email: null, address: null, userAgent: null };
const SYSTEM: Actor = { type: "system", ...NO_PERSON };
export const COMMAND_LINE: Actor = { type: "command_line", ...NO_PERSON };

const acting = new AsyncLocalStorage<Actor>();

/** The changes of `work` are the actor's. */
export const actingAs = <T>(actor: Actor, work: () => T): T => acting.run(actor, work);

export const actorNow = (): Actor => acting.getStore() ?? SYSTEM;

/** An API key; its address is in the log of requests. */
export const keyActor = ({ keyId }: { keyId: string }, { headers }: Request): Actor => ({
  ...{ type: "api_key", id: keyId, email: null, address: null },
  userAgent: headers.get("user-agent")?.slice(0, 256) ?? null,
});
