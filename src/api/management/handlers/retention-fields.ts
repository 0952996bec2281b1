/** What an organization lets the server keep, between the fields of the API and of accounts. */
import type { Static, TObject } from "typebox";
import type { Retention as Kept } from "../../../accounts/organizations.ts";
import type { Config } from "../../../config/config.ts";
import { type Detail, invalidInput } from "../../../errors.ts";
import type { Retention } from "../schema/records.ts";

type Fields = Static<TObject<typeof Retention>>;

/** Refuses more than the server allows. */
export function checkWithin(fields: Partial<Fields>, { logDays, keyMaxDays }: Config["retention"]): void {
  const { request_log_days: days = null, key_max_days: keyDays = null } = fields;
  const beyond: Detail[] = [];
  if (days !== null && days > logDays) beyond.push(tooMany("request_log_days", logDays));
  if (keyDays !== null && keyMaxDays !== null && keyDays > keyMaxDays)
    beyond.push(tooMany("key_max_days", keyMaxDays));
  if (beyond.length > 0) throw invalidInput(beyond);
}

const tooMany = (field: string, most: number): Detail => ({
  ...{ field, code: "out_of_range" },
  message: `must be at most ${most}, as this server is configured`,
});

export const retentionOf = (fields: Partial<Fields>): Partial<Kept> => ({
  ...(fields.request_log_days !== undefined && { requestLogDays: fields.request_log_days }),
  ...(fields.request_log_addresses !== undefined && { requestLogAddresses: fields.request_log_addresses }),
  ...(fields.data_retention !== undefined && { dataRetention: fields.data_retention }),
  ...(fields.key_max_days !== undefined && { keyMaxDays: fields.key_max_days }),
  ...(fields.job_result_days !== undefined && { jobResultDays: fields.job_result_days }),
  ...(fields.end_user_header !== undefined && { endUserHeader: fields.end_user_header }),
  ...(fields.end_users_hashed !== undefined && { endUsersHashed: fields.end_users_hashed }),
});

export const retentionRecord = (kept: Kept): Fields => ({
  request_log_days: kept.requestLogDays,
  request_log_addresses: kept.requestLogAddresses,
  data_retention: kept.dataRetention,
  key_max_days: kept.keyMaxDays,
  job_result_days: kept.jobResultDays,
  end_user_header: kept.endUserHeader,
  end_users_hashed: kept.endUsersHashed,
});
