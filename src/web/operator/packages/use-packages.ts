/** The model packages of the server: read often while any is being downloaded. */
import { useRead } from "../../api/queries.ts";
import { isPulling } from "./package.ts";

const BUSY_MS = 1000;
const IDLE_MS = 15_000;

export const usePackages = () =>
  useRead(
    "GET /api/operator/models",
    {},
    { everyMs: (last) => (last?.data.some(isPulling) ? BUSY_MS : IDLE_MS) },
  );
