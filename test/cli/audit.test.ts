/** Promise: with shell access, operators read who changed what, narrowed by organization, type, actor and time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Cli, openCli } from "./process.ts";

let cli: Cli;
let organization: string;
beforeAll(async () => {
  cli = openCli();
  await cli.runInTurn(["admin", "create", "root@example.com", "--name", "Root"]);
  organization = JSON.parse((await cli.runInTurn(["org", "create", "Analytical Engines", "--json"])).out).id;
  await cli.runInTurn(["project", "create", "Telephone bot", "--org", organization]);
  await cli.runInTurn(["keys", "create", "--name", "website", "--org", organization]);
  await cli.runInTurn(["credit", "codes", "create", "--amount", "5"]);
});
afterAll(() => cli[Symbol.dispose]());

type Event = { type: string; organization_id: string | null; actor: object };
const events = async (...args: string[]): Promise<Event[]> =>
  JSON.parse((await cli.runInTurn(["audit", ...args, "--json"])).out).data;
const types = async (...args: string[]) => (await events(...args)).map(({ type }) => type);

test("a table tells each event in a sentence, newest first", async () => {
  const { code, out } = await cli.run(["audit"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^TIME +EVENT +ADDRESS +ORGANIZATION\n/);
  expect(out).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d +The command line created the project/);
  expect(out.split("\n")[1]).toMatch(/created the voucher code .* - +server/);
});

test("filters are those of the API, and kinds stand for their types", async () => {
  expect(await types("--org", organization)).toEqual([
    ...["api_key.created", "project.created", "organization.created"],
  ]);
  expect(await types("--org", organization, "--event", "project", "--event", "api_key.created")).toEqual([
    ...["api_key.created", "project.created"],
  ]);
  expect(await types("--server")).toEqual(["billing.code.created"]);
  expect(await types("--limit", "1")).toEqual(["billing.code.created"]);
  expect(await types("--org", organization, "--by", "operator")).toEqual([]);
  expect(await types("--org", organization, "--actor", "root@example.com")).toEqual([]);
  expect(await types("--org", organization, "--days", "1")).toHaveLength(3);
  const [made] = await events("--org", organization, "--event", "api_key");
  expect(made).toMatchObject({
    ...{ object: "audit_event", organization_name: "Analytical Engines", resource_name: "website" },
    actor: { type: "command_line" },
  });
});

test("what is unknown is refused with what there is", async () => {
  const refused = async (...args: string[]) => {
    const { code, err } = await cli.runInTurn(["audit", ...args]);
    return [code, err];
  };
  expect(await refused("--event", "nothing")).toEqual([
    2,
    expect.stringContaining("api_key, service_account"),
  ]);
  expect(await refused("--by", "robot")).toEqual([2, expect.stringContaining("command_line")]);
  expect(await refused("--org", organization, "--server")).toEqual([2, expect.stringContaining("exclude")]);
  expect(await refused("--limit", "0")).toEqual([2, expect.stringContaining("1 to 10000")]);
  expect(await refused("--org", "org_none")).toEqual([
    2,
    expect.stringContaining("no organization org_none"),
  ]);
});
