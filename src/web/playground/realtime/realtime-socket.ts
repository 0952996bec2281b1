/**
 * The WebSocket of a realtime session. A short-lived client secret opens it; the API key itself never leaves in an address
 * or a protocol name.
 */
import { type Client, jsonBody } from "../../api/public-api.ts";
import { apiBase } from "../../browser/addresses.ts";

/** `session`: its settings, as in `session.update`. `query`: of the address. */
export async function openRealtimeSocket(client: Client, session: object, query = ""): Promise<WebSocket> {
  const response = await client("/realtime/client_secrets", jsonBody({ session }));
  const { value } = await response.json();
  const url = `${apiBase().replace("http", "ws")}/realtime${query}`;
  return new WebSocket(url, ["realtime", `openai-insecure-api-key.${value}`]);
}

/** Nothing is sent where the socket is not open. */
export function emit(socket: WebSocket, event: object): void {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(event));
}
