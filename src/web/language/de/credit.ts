/** German messages of warnings about an organization, and of how it gets credit. */
import type { Translations } from "../en/translation.ts";

export const credit: Translations["credit"] = {
  suspended:
    "<b>Diese Organisation ist gesperrt.</b> Anfragen mit ihren Schlüsseln werden abgelehnt; gelöscht wurde nichts.",
  resume: "Sperre aufheben",
  askResume: "Bitten Sie den Betreiber dieses Servers, die Sperre aufzuheben.",
  deleting: "<b>Diese Organisation wird bald gelöscht.</b> Anfragen mit ihren Schlüsseln werden abgelehnt.",
  deletingWhen: "Wann, und wie Sie das rückgängig machen",
  out: "<b>Das Guthaben ist aufgebraucht.</b> Anfragen werden abgelehnt, bis Guthaben hinzugefügt wird.",
  low: "<b>Wenig Guthaben:</b> noch {amount}.",
  limit:
    "<b>Das monatliche Ausgabenlimit ist erreicht.</b> Anfragen werden abgelehnt, bis das Limit erhöht wird oder der Monat endet.",
  rechargeOff: "Die automatische Aufladung ist abgeschaltet:",
  rechargeFailed: "Die automatische Aufladung ist fehlgeschlagen:",

  noPayments: "Dieser Server nimmt keine Zahlungen an.",
  askCredit: "Bitten Sie den Betreiber dieses Servers um Guthaben.",
  operatorCan: "Als Betreiber können Sie <link>Guthaben gewähren oder die Abrechnung abschalten</link>.",
  askOwner: "Bitten Sie einen Inhaber, Guthaben hinzuzufügen.",
  addCredit: "Guthaben hinzufügen",
  viewBilling: "Abrechnung ansehen",
};
