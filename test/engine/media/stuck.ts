/** A decoder that never ends on an upload that begins with "s", and finds one sample in any other. */
import { readFileSync, writeSync } from "node:fs";
import { DECODE_EXIT } from "../../../src/engine/media/decode-exit.ts";

if (readFileSync(0, "latin1").startsWith("s")) await new Promise(() => setInterval(() => {}, 60_000));
writeSync(1, new Uint8Array(2));
process.exit(DECODE_EXIT.decoded);
