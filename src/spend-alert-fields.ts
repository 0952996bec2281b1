/** The fields of spend alerts, as every interface takes them: those of OpenAI's records, and our own beside them. */
import Type, { type Static } from "typebox";
import { DISPLAY_NAME } from "./display-name.ts";

const CENTS_MAX = 100_000_000;
const RECIPIENTS_MAX = 20;
const ADDRESS_MAX = 254;

const Channel = Type.Object(
  {
    type: Type.Enum(["email", "webhook"], {
      description:
        "`email`: recipients get a mail. `webhook`: only the event `spend.alert` is sent, as it is for each alert.",
    }),
    recipients: Type.Optional(
      Type.Array(Type.String({ minLength: 3, maxLength: ADDRESS_MAX }), {
        maxItems: RECIPIENTS_MAX,
        description:
          "One at least for `email`. Addresses that are not the verified ones of members get a mail first that asks whether they agree.",
      }),
    ),
    subject_prefix: Type.Optional(
      Type.Union([Type.String(DISPLAY_NAME), Type.Null()], {
        description: "What the subject of mails begins with.",
      }),
    ),
  },
  { description: "How is told that the alert went off." },
);

const ofBoth = {
  threshold_amount: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: CENTS_MAX },
      description: "In cents, at list price. Either this or `threshold_percent`.",
    }),
  ),
  threshold_percent: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: 100 },
      description:
        "Of the budget of the key or project, in the budget's period; of an organization, of its monthly spending limit.",
    }),
  ),
  currency: Type.Optional(Type.Enum(["USD"], { description: "The only currency." })),
  interval: Type.Optional(
    Type.Enum(["month"], { description: "The only interval, a calendar month (UTC)." }),
  ),
};

export const NewSpendAlertFields = Type.Object({ ...ofBoth, notification_channel: Channel });

/** What is left out stays as it is; a channel is replaced as a whole. */
export const SpendAlertChangeFields = Type.Object({
  ...ofBoth,
  notification_channel: Type.Optional(Channel),
});

export type SpendAlertChange = Static<typeof SpendAlertChangeFields>;

const SpendAlertChannel = Type.Object({
  type: Type.Enum(["email", "webhook"]),
  recipients: Type.Array(Type.String()),
  subject_prefix: Type.Union([Type.String(), Type.Null()]),
});

/** Of a record, beside its kind. `threshold_amount` null: that many percent of a budget or limit that there is not. */
export const SPEND_ALERT_RECORD = {
  id: Type.String(),
  threshold_amount: Type.Union([Type.Number(), Type.Null()]),
  threshold_percent: Type.Union([Type.Integer(), Type.Null()]),
  currency: Type.Literal("USD"),
  interval: Type.Literal("month"),
  notification_channel: SpendAlertChannel,
  scope: Type.Enum(["organization", "project", "key"]),
  /** Recipients that are not members and have not agreed yet by the mail that asks them: they get no mail. */
  pending_recipients: Type.Array(Type.String()),
  /** Those that want no more mail of the organization's alerts. */
  unsubscribed_recipients: Type.Array(Type.String()),
  project_id: Type.Union([Type.String(), Type.Null()]),
  api_key_id: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.Integer(),
  /** When it went off last. */
  last_fired_at: Type.Union([Type.Integer(), Type.Null()]),
};
