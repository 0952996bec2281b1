/** French messages of warnings about an organization, and of how it gets credit. */
import type { Translations } from "../en/translation.ts";

export const credit: Translations["credit"] = {
  suspended:
    "<b>Cette organisation est suspendue.</b> Les requêtes avec ses clés sont refusées ; rien n’a été supprimé.",
  resume: "La réactiver",
  askResume: "Demandez à l’opérateur de ce serveur de la réactiver.",
  deleting: "<b>Cette organisation va être supprimée.</b> Les requêtes avec ses clés sont refusées.",
  deletingWhen: "Quand, et comment l’annuler",
  out: "<b>Crédit épuisé.</b> Les requêtes sont refusées jusqu’à l’ajout de crédit.",
  low: "<b>Solde faible :</b> il reste {amount}.",
  limit:
    "<b>La limite de dépenses mensuelle est atteinte.</b> Les requêtes sont refusées jusqu’au relèvement de la limite ou à la fin du mois.",
  rechargeOff: "La recharge automatique est désactivée :",
  rechargeFailed: "La recharge automatique a échoué :",

  noPayments: "Ce serveur n’accepte pas de paiements.",
  askCredit: "Demandez du crédit à l’opérateur de ce serveur.",
  operatorCan:
    "En tant qu’opérateur, vous pouvez <link>accorder du crédit ou désactiver la facturation</link>.",
  askOwner: "Demandez à un propriétaire d’ajouter du crédit.",
  addCredit: "Ajouter du crédit",
  viewBilling: "Voir la facturation",
};
