/** German messages of tables of requests, and of charts that open them. */
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

  chart: "Diagramm",
  chartKeys: "{label}. Mit den Pfeiltasten wählen Sie einen Balken.",
  chartOpens:
    "{label}. Mit den Pfeiltasten wählen Sie einen Balken, mit der Eingabetaste öffnen Sie seine Anfragen.",
  none: "keine",
  noData: "keine Daten",
  total: "Gesamt",
};
