/** French messages of tables of requests. */
import type { Translations } from "../en/translation.ts";

export const requestTable: Translations["requestTable"] = {
  caption: "Requêtes, de la plus récente à la plus ancienne",
  time: "Heure",
  status: "État",
  endpoint: "Point d’accès",
  voice: "Voix",
  firstAudio: "Premier son",
  duration: "Durée",
  quantity: "Quantité",
  price: "Prix",
  key: "Clé d’API",
  id: "ID de requête",
  copyId: "Copier {id}",
  isNew: "nouvelle",
  live: "en direct",
  clientClosed: "fermée par le client",
  tokens: "{count, number} jetons",
  characters: "{count, number} car.",
};
