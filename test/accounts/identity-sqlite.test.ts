/** Promise: users, memberships and invitations in the embedded database keep the contract. */
import { identityContract } from "../contract/identity.ts";
import { provingContract } from "../contract/proving.ts";
import { secondFactorContract } from "../contract/second-factor.ts";
import { setUpContract } from "../contract/set-up.ts";

const prepare = async () => ({ environment: {}, isShared: false, async [Symbol.asyncDispose]() {} });

identityContract("people in sqlite", prepare);
provingContract("people in sqlite", prepare);
setUpContract("people in sqlite", prepare);
secondFactorContract("the second factor in sqlite", prepare);
