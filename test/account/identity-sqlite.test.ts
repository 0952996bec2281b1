/** Promise: accounts of people in the embedded database keep the contract. */
import { identityContract } from "../contract/identity.ts";

identityContract("people in sqlite", async () => ({ environment: {}, async [Symbol.asyncDispose]() {} }));
