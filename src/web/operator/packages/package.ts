/** A model package as the management API returns it. */
import type { Reply } from "../../api/server.ts";

export type Package = Reply<"GET /api/operator/models">["data"][number];

export const isPulling = ({ pull }: Package) => pull?.status === "running";

/** It adds formats or voices to the server, and runs in a process of its own. */
export const isProgram = ({ family }: Package) => family === "program";
