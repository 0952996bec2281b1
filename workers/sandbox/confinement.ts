/** For `loquat doctor`: confines itself as a decoder does, and prints as JSON in which layers that held. */
import { writeSync } from "node:fs";
import { confine } from "./confine.ts";

writeSync(1, JSON.stringify(confine({ cpuSeconds: null })));
