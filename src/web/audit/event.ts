/** Events of the audit log as the management API returns them, and how their parts read. */
import type { Reply } from "../api/server.ts";
import { money } from "../format/dollars.ts";
import { moment } from "../format/times.ts";

export type AuditEvent = Reply<"GET /api/operator/audit-events">["data"][number];
type Change = AuditEvent["changes"][number];

/** "scopes", "monthly spending limit". */
export const fieldName = (field: string): string =>
  field
    .replace(/(_micros|_at|Micros|At)$/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replaceAll("_", " ");

/** A value of a field, as a person reads it. */
export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number" && /(_micros|Micros)$/.test(field)) return money(value);
  if (typeof value === "number" && /(_at|At)$/.test(field)) return moment(value);
  if (Array.isArray(value)) return value.map((each) => valueText("", each)).join(", ") || "none";
  if (typeof value === "object") return recordText(value);
  return String(value);
}

/** "requests per minute: 60, …" */
const recordText = (record: object): string =>
  Object.entries(record)
    .map(([field, value]) => `${fieldName(field)}: ${valueText(field, value)}`)
    .join(", ");

/** "name: Default → Renamed": without a value before, only the one after. */
export function changeText({ field, before, after }: Change): string {
  const isNew = before === null || before === undefined;
  const value = valueText(field, after);
  return `${fieldName(field)}: ${isNew ? value : `${valueText(field, before)} → ${value}`}`;
}
