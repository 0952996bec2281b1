/** What documents say of the field `user`. */
export const END_USER =
  "Whom the request is for: its first 128 characters, without control characters, are in the log of requests, and what each used is added up by day.";
