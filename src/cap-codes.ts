/** The error codes of what restricts single keys and projects. */

export const CAP_CODES = {
  address_not_allowed: {
    status: 403,
    meaning: "The key may only be used at other addresses.",
    message: "This key may not be used at 198.51.100.7.",
  },
  model_not_allowed: {
    status: 403,
    meaning: "The key or its project may not use the model or the voice.",
    message: "The model svc-tts1 is not allowed for this key. It may use svc-stt1.",
    param: "model",
  },
  key_budget_reached: {
    status: 402,
    meaning: "The key has used its budget. The message says when it begins again.",
    message:
      "This key has used its budget of this month, $20.00. It begins again at 2026-12-01T00:00:00.000Z.",
  },
  project_budget_reached: {
    status: 402,
    meaning: "The project has used its budget. The message says when it begins again.",
    message: "This project has used its budget of today, $5.00. It begins again at 2026-11-29T00:00:00.000Z.",
  },
  too_many_spend_alerts: {
    status: 409,
    meaning: "The organization, project or key has as many spend alerts as it may have.",
    message:
      "A project may have 20 spend alerts, and all of an organization together 1000. Delete one first.",
  },
  too_many_alert_recipients: {
    status: 409,
    meaning: "The alerts of the organization name as many addresses that are not members' as they may.",
    message: "Alerts of an organization may name 100 addresses that are not members'. Remove some first.",
  },
  recipient_not_member: {
    status: 422,
    meaning:
      "The server sends no mail, by which other people than members could agree to get mail of alerts. Name verified addresses of members.",
    message:
      "notification_channel.recipients.0 must be the verified address of a member of the organization, as this server sends no mail.",
    param: "notification_channel.recipients.0",
  },
} as const;
