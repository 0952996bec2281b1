/** The fields of a body that its row in the log of requests has: whom it is for, and what it is called. */

/** What documents say of the field `user`. */
export const END_USER =
  "Whom the request is for: its first 128 characters, without control characters, are in the log of requests, and what each used is added up by day.";

/** What documents say of the member `label` of `metadata`. */
export const LABEL =
  "label: its first 64 characters, without control characters, are in the log of requests; other members have no effect.";
