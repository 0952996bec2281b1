/** German messages of tables of requests. */
import type { Translations } from "../en/translation.ts";

export const requestTable: Translations["requestTable"] = {
  caption: "Anfragen, neueste zuerst",
  time: "Zeit",
  status: "Status",
  endpoint: "Endpunkt",
  voice: "Stimme",
  firstAudio: "Erster Ton",
  duration: "Dauer",
  quantity: "Menge",
  price: "Preis",
  key: "API-Schlüssel",
  id: "Anfrage-ID",
  copyId: "{id} kopieren",
  isNew: "neu",
  live: "live",
  clientClosed: "vom Client beendet",
  tokens: "{count, number} Tokens",
  characters: "{count, number} Zeichen",
};
