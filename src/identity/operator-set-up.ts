/** Creates the first operator by a set-up link. */
import { openSetUp } from "../accounts/set-up.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/database.ts";
import type { Hashing } from "./password-hashing.ts";
import type { Input } from "./routes/input.ts";

type OperatorSetUpDeps = { database: Database; hashing: Hashing; clock: Clock };

/** Returns what the new operator signs in with. Refuses an invalid link. */
export function openOperatorSetUp({ database, hashing, clock }: OperatorSetUpDeps) {
  const links = openSetUp(database, clock);
  return async ({ token, name, email, password }: Input): Promise<Input> => {
    await links.assertSetUpSecret(token!); // before hashing, which takes long
    const passwordHash = await hashing.hash(password!);
    await links.setUp(token!, { email: email!, name: name!.trim(), passwordHash });
    return { email: email!, password: password! };
  };
}
