/** French messages of charts over time, their tables and captions. */
import type { Translations } from "../en/translation.ts";

export const charts: Translations["charts"] = {
  chart: "graphique",
  keys: "{label}. Utilisez les flèches pour choisir une barre.",
  opens: "{label}. Utilisez les flèches pour choisir une barre, Entrée pour ouvrir ses requêtes.",
  asTable: "Afficher en tableau",
  asChart: "Afficher en graphique",
  groups: "Groupes",
  time: "Heure (UTC)",
  total: "Total",
  other: "Autres ({count, number})",
  none: "aucune",
  noData: "aucune donnée",
  empty: "Aucune donnée pour cette période.",

  over: "{what} par {size, select, minute {minute} hour {heure} day {jour} other {mois}}, {period}",
  overCumulative:
    "{what} par {size, select, minute {minute} hour {heure} day {jour} other {mois}}, cumul, {period}",
  byGroup:
    "{caption}, par {group, select, project {projet} key {clé} user {utilisateur} model {modèle} endpoint {point d’accès} environment {environnement} end_user {utilisateur final} status {état} voice {voix} language {langue} format {format} other {étiquette}}",
  byModel: "{what} par modèle",
  hours: "{count, plural, one {# heure} other {# heures}}",
  days: "{count, plural, one {# jour} other {# jours}}",
  months: "{count, plural, one {# mois} other {# mois}}",

  requests: "Requêtes",
  errors: "Erreurs",
  characters: "Caractères",
  audio_seconds: "Audio",
  tokens: "Jetons",
  cost_micros: "Coût",
  first_output: "Attente du premier son",
  answer: "Délai jusqu’à la réponse complète",
  final_text: "Attente du texte définitif",
  median: "Médiane",
  p95: "95e centile",
  heat: "{what}, 95e centile, par jour et par heure",
  heatHint:
    "Par jour et par heure : plus la couleur est intense, plus l’attente est longue, jusqu’à {longest} (95e centile).",
};
