/** The OpenAPI document as openapi.json keeps it: what a server with the shipped catalogue generates, in a fixed order. */
import { openHarness } from "../../test/harness.ts";

export async function generateOpenApi(): Promise<string> {
  await using harness = await openHarness();
  const document = (await (await harness.ask("/docs/json")).json()) as object;
  return `${JSON.stringify(sorted({ ...document, servers: [{ url: "/" }] }), null, 2)}\n`;
}

/** Keys in alphabetical order, so that a change of the code's order changes nothing here. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
