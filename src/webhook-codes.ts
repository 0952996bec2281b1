/** The error codes of webhook endpoints. */

export const WEBHOOK_CODES = {
  too_many_webhooks: {
    status: 409,
    meaning: "The organization has as many webhook endpoints as it may have.",
    message: "Your organization has 20 webhook endpoints, which is as many as it may have. Delete one first.",
  },
  webhook_disabled: {
    status: 409,
    meaning: "The webhook endpoint is switched off. Nothing is sent to it until it is on again.",
    message: 'The endpoint is switched off. Switch it on first, with {"status": "enabled"}.',
  },
  webhook_unreachable: {
    status: 502,
    meaning: "The webhook endpoint did not answer a test within 15 seconds.",
    message: "The endpoint did not answer within 15 seconds, or not as a web server.",
  },
} as const;
