/** English messages of tables of requests. */
import { areaTexts } from "../texts.ts";

export const requestTable = {
  caption: "Requests, newest first",
  time: "Time",
  status: "Status",
  endpoint: "Endpoint",
  voice: "Voice",
  firstAudio: "First audio",
  duration: "Duration",
  quantity: "Quantity",
  price: "Price",
  key: "API key",
  id: "Request ID",
  copyId: "Copy {id}",
  isNew: "new",
  live: "live",
  clientClosed: "client closed",
  tokens: "{count, number} tokens",
  characters: "{count, number} char.",
} as const;

export const requestTableTexts = areaTexts("requestTable", requestTable);
