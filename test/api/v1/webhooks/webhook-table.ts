/** Which scope of an API key each route of webhooks needs. */
const ROUTES = `GET /webhook_endpoints
  POST /webhook_endpoints
  GET /webhook_endpoints/:webhook_endpoint
  POST /webhook_endpoints/:webhook_endpoint
  DELETE /webhook_endpoints/:webhook_endpoint
  POST /webhook_endpoints/:webhook_endpoint/rotate_secret
  POST /webhook_endpoints/:webhook_endpoint/test
  POST /webhook_endpoints/:webhook_endpoint/replay
  GET /webhook_endpoints/:webhook_endpoint/deliveries
  POST /webhook_endpoints/:webhook_endpoint/deliveries/:delivery/retry
  GET /webhook_event_types`;

export const WEBHOOK_TABLE: Record<string, { scope: "webhook:manage" }> = Object.fromEntries(
  ROUTES.split("\n").map((line) => [line.trim().replace(" ", " /v1"), { scope: "webhook:manage" }]),
);
