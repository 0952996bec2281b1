/** What several records of the organization API have in common. Times are Unix seconds. */
import Type, { type TSchema } from "typebox";
import type { Role } from "../../../accounts/memberships.ts";
import { withBudgetUse } from "../../../budget-use.ts";
import { type Clock, unixSeconds } from "../../../clock.ts";
import { DISPLAY_NAME } from "../../../display-name.ts";

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const Time = Type.Integer();

export const Name = (of: string) =>
  Type.String({ ...DISPLAY_NAME, description: `The name of the ${of}, one line.` });

const CENTURY_SECONDS = 3_153_600_000;

export const ExpiresIn = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: CENTURY_SECONDS,
    description: "After how many seconds the key expires. Without it, never.",
  }),
);

export const expiryOf = (seconds: number | undefined, clock: Clock): number | null =>
  seconds === undefined ? null : unixSeconds(clock) + seconds;

/** Stock clients know two roles of people; ours are told besides. */
export const StockRole = Type.Enum(["owner", "reader"]);
export const LoquatRole = Type.Enum(["owner", "admin", "member"]);
export const RoleGiven = Type.Enum(["owner", "admin", "member", "reader"], {
  description: "A reader is a member.",
});

export const stockRole = (role: Role): "owner" | "reader" => (role === "owner" ? "owner" : "reader");
export const roleOf = (given: Role | "reader"): Role => (given === "reader" ? "member" : given);

/** What a stock client gets of something that is deleted. */
export const Deleted = (kind: string) =>
  Type.Object({ id: Type.String(), object: Type.Literal(`${kind}.deleted`), deleted: Type.Literal(true) });

export const deleted = (id: string, kind: string) => ({ id, object: `${kind}.deleted`, deleted: true });

/** The fields that were sent. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

type Counting = Parameters<typeof withBudgetUse>[0];
type Budgeted = Parameters<typeof withBudgetUse>[1][number];

/** Records of projects and keys with what is used of their budgets, and without their organization. */
export async function withUse<R extends Budgeted>(ledger: Counting, records: R[]) {
  const used = await withBudgetUse(ledger, records);
  return used.map(({ organization_id: _, ...record }) => record);
}
