/** The routes of files: each needs a key that may transcribe or speak. */
const ROUTES = `GET /files
  POST /files
  GET /files/:file
  DELETE /files/:file
  GET /files/:file/content
  POST /uploads
  POST /uploads/:upload/parts
  POST /uploads/:upload/complete
  POST /uploads/:upload/cancel`;

export const FILE_TABLE: Record<string, { scope: null }> = Object.fromEntries(
  ROUTES.split("\n").map((line) => [line.trim().replace(" ", " /v1"), { scope: null }]),
);
