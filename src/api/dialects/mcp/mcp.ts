/** The Model Context Protocol: tools that speak and transcribe for assistants, at one address. */
import { bearer } from "../../middleware/caller.ts";
import { envelope } from "../../middleware/faults.ts";
import type { Dialect } from "../dialect.ts";
import { mcpRoute } from "./mcp-route.ts";

export const mcp: Dialect = {
  name: "mcp",
  own: ["/mcp"],
  shared: [],
  namesModels: false,
  isMeant: () => false,
  secretOf: bearer,
  errorBody: envelope,
  routes: mcpRoute,
};
