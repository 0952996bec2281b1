/** The answers after which a client may come again, as the OpenAPI document says them: each names when. */
const headers = {
  "retry-after": {
    description: "Whole seconds, 1 to 60, after which to try again.",
    required: true,
    schema: { type: "integer" as const, minimum: 1, maximum: 60 },
  },
};

export const UNAVAILABLE = {
  503: { description: "Something this server depends on cannot be reached, or it is full.", headers },
};

export const RETRY = {
  429: { description: "Over a rate limit, or too many requests at once.", headers },
  ...UNAVAILABLE,
};
