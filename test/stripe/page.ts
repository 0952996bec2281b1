/** The hosted page: what is bought, a card to choose, a button. It works in a browser, without a script. */
import type Stripe from "stripe";
import { CARDS, type CardName } from "./cards.ts";

const LABELS: Record<CardName, string> = {
  ok: "A card that pays",
  declined: "A card that is declined",
  poor: "A card with too little on it",
  declinedLater: "A card that is declined when it is charged later",
  authentication: "A card that asks its owner",
  delayed: "A bank account",
};

const quoted = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function checkoutPage(session: Stripe.Checkout.Session, problem: string | null): string {
  const isSetup = session.mode === "setup";
  const dollars = ((session.amount_total ?? 0) / 100).toFixed(2);
  const title = isSetup ? "Save a card" : `Pay $${dollars}`;
  const choices = Object.entries(LABELS).map(
    ([name, label], index) =>
      `<p><label><input type="radio" name="card" value="${name}"${index === 0 ? " checked" : ""}>
      ${label} (${CARDS[name as CardName]})</label></p>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><meta name="viewport" content="width=device-width"></head>
<body>
<main>
<h1>${title}</h1>
${problem === null ? "" : `<p role="alert" id="problem">${quoted(problem)}</p>`}
<form method="post">
${choices.join("\n")}
<button id="pay">${isSetup ? "Save card" : "Pay"}</button>
</form>
<p><a id="cancel" href="${quoted(session.cancel_url ?? "#")}">Back</a></p>
</main>
</body>
</html>
`;
}
