/** Spanish messages of warnings about an organization, and of how it gets credit. */
import type { Translations } from "../en/translation.ts";

export const credit: Translations["credit"] = {
  suspended:
    "<b>Esta organización está suspendida.</b> Las solicitudes con sus claves se rechazan; no se ha eliminado nada.",
  resume: "Reactivarla",
  askResume: "Pida al operador de este servidor que la reactive.",
  deleting: "<b>Esta organización se va a eliminar.</b> Las solicitudes con sus claves se rechazan.",
  deletingWhen: "Cuándo, y cómo deshacerlo",
  out: "<b>Saldo agotado.</b> Las solicitudes se rechazan hasta que se añada saldo.",
  low: "<b>Saldo bajo:</b> quedan {amount}.",
  limit:
    "<b>Se ha alcanzado el límite de gasto mensual.</b> Las solicitudes se rechazan hasta que se aumente el límite o termine el mes.",
  rechargeOff: "La recarga automática está desactivada:",
  rechargeFailed: "La recarga automática ha fallado:",

  noPayments: "Este servidor no acepta pagos.",
  askCredit: "Pida saldo al operador de este servidor.",
  operatorCan: "Como operador, puede <link>conceder saldo o desactivar la facturación</link>.",
  askOwner: "Pida a un propietario que añada saldo.",
  addCredit: "Añadir saldo",
  viewBilling: "Ver facturación",
};
