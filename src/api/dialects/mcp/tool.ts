/** A tool of the Model Context Protocol: its schema, and what a call of it gives. A refusal is a result that says so. */
import type { CallToolResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import type { Static, TObject } from "typebox";
import { invalidInput } from "../../../errors.ts";
import { checker } from "../../../schema.ts";
import { toFault } from "../../middleware/faults.ts";
import type { MeteredCall } from "../../middleware/metering.ts";

export const ENDPOINT = "/mcp";

export type Tool = {
  listed: ListedTool;
  call(given: unknown, call: MeteredCall): Promise<CallToolResult>;
};

type ToolOptions<S extends TObject> = {
  name: string;
  title: string;
  description: string;
  input: S;
  /** Whether it changes nothing, and costs nothing. */
  isFree: boolean;
  run(given: Static<S>, call: MeteredCall): Promise<CallToolResult>;
};

export function openTool<S extends TObject>({ input, isFree, run, ...names }: ToolOptions<S>): Tool {
  const checked = checker(input);
  return {
    listed: {
      ...names,
      inputSchema: JSON.parse(JSON.stringify(input)),
      annotations: {
        readOnlyHint: isFree,
        destructiveHint: false,
        idempotentHint: isFree,
        openWorldHint: false,
      },
    },
    async call(given, call) {
      const { value, details } = checked.check(given ?? {});
      if (details !== null) throw invalidInput(details);
      return run(value, call);
    },
  };
}

export function openTools(tools: readonly Tool[]) {
  const byName = new Map(tools.map((tool) => [tool.listed.name, tool]));
  return {
    listed: tools.map(({ listed }) => listed),
    async call(
      { name, arguments: given }: { name: string; arguments?: unknown },
      call: MeteredCall,
    ): Promise<CallToolResult> {
      const tool = byName.get(name);
      if (!tool)
        return failure(`There is no tool ${name.slice(0, 100)}. Tools: ${[...byName.keys()].join(", ")}.`);
      try {
        return await tool.call(given, call);
      } catch (error) {
        const { code, message } = toFault(error);
        return failure(`${message} (${code})`);
      }
    },
  };
}

const failure = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] });
