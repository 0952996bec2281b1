/** English messages of warnings about an organization, and of how it gets credit. */
import { areaTexts } from "../texts.ts";

export const credit = {
  suspended:
    "<b>This organization is suspended.</b> Requests with its keys are rejected; nothing was deleted.",
  resume: "Resume it",
  askResume: "Ask this server's operator to resume it.",
  deleting: "<b>This organization is about to be deleted.</b> Requests with its keys are rejected.",
  deletingWhen: "When, and how to undo that",
  out: "<b>Out of credits.</b> Requests are rejected until credit is added.",
  low: "<b>Low balance:</b> {amount} left.",
  limit:
    "<b>Monthly spending limit reached.</b> Requests are rejected until the limit is raised or the month ends.",
  rechargeOff: "Auto-recharge is off:",
  rechargeFailed: "Auto-recharge failed:",

  noPayments: "This server does not accept payments.",
  askCredit: "Ask this server's operator for credit.",
  operatorCan: "As the operator, you can <link>grant credit or switch metering off</link>.",
  askOwner: "Ask an owner to add credit.",
  addCredit: "Add credit",
  viewBilling: "View billing",
} as const;

export const creditTexts = areaTexts("credit", credit);
