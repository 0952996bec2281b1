/** Figures that are measured together on one checkout, and compared with another one's. */
import { type Server, startServer } from "../harness/server.ts";
import type { Checkout } from "./checkout.ts";

/** Of one round, in the order of the group's figures. */
type Values = number[];
type Figure = { name: string; unit: string; target?: string };

/** What is opened once, and measured once a round, in turns with the other checkout's. */
export type Probe = { measure(): Promise<Values>; close(): Promise<unknown> };

export type Group = { figures: readonly Figure[]; rounds: number; open(checkout: Checkout): Promise<Probe> };

export const figure = (name: string, unit: string, target?: string): Figure => ({
  name,
  unit,
  ...(target === undefined ? {} : { target }),
});

/** A probe of one server that runs throughout. */
export async function onServer(
  { command }: Checkout,
  measure: (server: Server) => Promise<Values>,
  environment: Record<string, string> = {},
): Promise<Probe> {
  const server = await startServer(environment, command);
  return { measure: () => measure(server), close: async () => server[Symbol.asyncDispose]() };
}
