/**
 * The types of single files of prom-client. The whole package is not imported, because its default metrics load the API of
 * OpenTelemetry, which takes longer than all else of the server's start.
 */

declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}

declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}

declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
