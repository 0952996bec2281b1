/**
 * The messages between the server and a child process that runs an engine.
 *
 *   { id, task } ──> child ──> { id, result } or { id, error }        one at a time, in order
 */
export type ProcessRequest<Task = object> = { id: number; task: Task };
export type ProcessReply = { id: number; result?: unknown; error?: string };
