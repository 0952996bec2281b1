/** OpenAPI responses after which a client may retry; each has a retry-after header. */
const headers = {
  "retry-after": {
    description: "Seconds to wait before retrying, 1 to 60.",
    required: true,
    schema: { type: "integer" as const, minimum: 1, maximum: 60 },
  },
};

export const UNAVAILABLE = {
  503: { description: "A dependency is unavailable, or the server is at capacity.", headers },
};

export const RETRY = {
  429: { description: "Rate limit exceeded, or too many concurrent requests.", headers },
  ...UNAVAILABLE,
};
