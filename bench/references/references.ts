/** Engines on published weights beside the implementations that those weights are used with. */
import type { Row } from "../harness/row.ts";
import { PEERS, peersPython } from "./python-peers.ts";

export async function benchReferences(): Promise<Row[]> {
  const isHere = peersPython() !== null;
  const name = isHere ? "references" : "references, which cannot be installed: all is left out";
  return [{ name, value: isHere ? PEERS.length : 0, unit: "Python packages" }];
}
