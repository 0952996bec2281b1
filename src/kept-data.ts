/** What an organization lets the server keep of its requests: for how many days, which part of addresses, and whether nothing of a person at all. */

export const LOG_ADDRESSES = ["full", "truncated", "none"] as const;
type LogAddresses = (typeof LOG_ADDRESSES)[number];

/** Of an organization; a project may say otherwise. */
export const DATA_RETENTION = ["none", "zero_data_retention"] as const;
export type DataRetention = (typeof DATA_RETENTION)[number];

/** Which header may name the user of a client's request: those that Open WebUI sends. */
export const END_USER_HEADERS = [
  "X-OpenWebUI-User-Email",
  "X-OpenWebUI-User-Id",
  "X-OpenWebUI-User-Name",
] as const;
export type EndUserHeader = (typeof END_USER_HEADERS)[number];

/** The longest that request logs are kept. */
export const LOG_DAYS_MAX = 90;
export const DAY_SECONDS = 86_400;

/** What is left out of the rows of requests. `endUserKey`: names of end users are stored as an HMAC with it; null: as they are. */
export type Redaction = { addresses: LogAddresses; isZero: boolean; endUserKey: string | null };

type Organization = HashingOrganization & {
  requestLogAddresses: LogAddresses;
  dataRetention: DataRetention;
};

type HashingOrganization = { endUsersHashed: boolean; endUserKey: string | null };

/** Null where names of end users are stored as they are. */
export const endUserKeyOf = ({ endUsersHashed, endUserKey }: HashingOrganization): string | null =>
  endUsersHashed ? endUserKey : null;
type Project = { dataRetention: DataRetention | null };

/** Null where rows are kept whole. */
export function redactionOf(organization: Organization, project: Project): Redaction | null {
  const isZero = (project.dataRetention ?? organization.dataRetention) === "zero_data_retention";
  const { requestLogAddresses: addresses } = organization;
  const endUserKey = endUserKeyOf(organization);
  return isZero || endUserKey !== null || addresses !== "full" ? { addresses, isZero, endUserKey } : null;
}

type Personal = Record<"ip" | "userAgent" | "errorMessage" | "endUser" | "label", string | null>;

/** What is stored of a row whose end user is stored as it is. */
export function redacted<Row extends Personal>(row: Row, { isZero, addresses }: Redaction): Row {
  if (isZero) return { ...row, ip: null, userAgent: null, errorMessage: null, endUser: null, label: null };
  return { ...row, ip: row.ip === null ? null : addressAs(addresses, row.ip) };
}

function addressAs(kept: LogAddresses, address: string): string | null {
  if (kept === "full") return address;
  return kept === "none" ? null : truncatedAddress(address);
}

/** The network of an address: /24 of IPv4, /48 of IPv6. */
function truncatedAddress(address: string): string {
  const mapped = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(address);
  if (mapped) return `${mapped[1]}.0`;
  const [head = "", tail] = address.split("%")[0]!.split("::");
  const groups = head === "" ? [] : head.split(":");
  const behind = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - behind.length);
  const whole = [...groups, ...Array.from({ length: zeros }, () => "0"), ...behind];
  return `${whole
    .slice(0, 3)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::`;
}

/** How long results of jobs are kept, in days: at most, and where nothing is chosen. */
export const RESULT_DAYS_MAX = 30;
const RESULT_DAYS = 7;

/** Whether the result of a job is deleted once it was read, and for how many days it is kept. */
export function resultKept(chosenDays: number | null, isReadOnce: boolean): { once: boolean; days: number } {
  const once = isReadOnce || chosenDays === 0;
  return { once, days: once ? 1 : (chosenDays ?? RESULT_DAYS) };
}

/** How many days the requests of an organization are kept. */
export const logDaysOf = (
  { requestLogDays }: { requestLogDays: number | null },
  serverDays: number,
): number => Math.min(requestLogDays ?? LOG_DAYS_MAX, serverDays);

/** Of a request log of which rows before then were deleted, in Unix seconds: from when on it is complete. A live session may last an hour. */
export const completeFrom = (before: number): number => before - (before % DAY_SECONDS) + 2 * DAY_SECONDS;

/** How long past periods of budgets are kept: longer than any interval, and than a charge can be refunded. */
export const BUDGETS_KEPT_SECONDS = 400 * DAY_SECONDS;
