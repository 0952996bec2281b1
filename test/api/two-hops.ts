/** A server whose engines are another server's: for suites that a server passes at two hops as it does alone. */
import { type HarnessOptions, openHarness } from "../harness.ts";
import { putBehind } from "../upstream-behind.ts";

type TwoHops = HarnessOptions & {
  /** The environment of the server that does the work. */
  behind?: Record<string, string>;
};

/** `behind`: the server that does the work, and `definition` how it is used. */
export async function openTwoHops({ behind: environment = {}, ...options }: TwoHops = {}) {
  const behind = await openHarness({ environment, isAlone: true });
  const front = await openHarness({ ...options, isAlone: true });
  const borrowed = await putBehind(front.parts, behind);
  return {
    ...front,
    behind,
    definition: borrowed.definition,
    async [Symbol.asyncDispose]() {
      await front[Symbol.asyncDispose]();
      await behind[Symbol.asyncDispose]();
      borrowed[Symbol.dispose]();
    },
  };
}
