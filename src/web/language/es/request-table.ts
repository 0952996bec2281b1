/** Spanish messages of tables of requests. */
import type { Translations } from "../en/translation.ts";

export const requestTable: Translations["requestTable"] = {
  caption: "Solicitudes, de la más reciente a la más antigua",
  time: "Hora",
  status: "Estado",
  endpoint: "Endpoint",
  voice: "Voz",
  firstAudio: "Primer audio",
  duration: "Duración",
  quantity: "Cantidad",
  price: "Precio",
  key: "Clave de API",
  id: "ID de solicitud",
  copyId: "Copiar {id}",
  isNew: "nueva",
  live: "en directo",
  clientClosed: "cerrada por el cliente",
  tokens: "{count, number} tokens",
  characters: "{count, number} car.",
};
