/** Routes of the people of the server, for its operators. */
import Type from "typebox";
import { SIGN_UP } from "../../../sign-up-policy.ts";
import { Flag, listOf, nullable, Role, Text, UserRecord, Whole } from "./records.ts";
import type { Routes } from "./route.ts";

const Person = Type.Object({
  ...UserRecord.properties,
  /** When they were last here, if they are signed in; or null. */
  seen_at: nullable(Whole),
  organizations: Type.Array(Type.Object({ id: Text, name: Text, role: Role })),
});

const SignUpRecord = Type.Object({
  object: Type.Literal("sign_up"),
  policy: Type.Enum([...SIGN_UP]),
  /** By LOQUAT_SIGN_UP: then it cannot be changed here. */
  is_configured: Flag,
});

export const userRoutes = {
  "GET /api/operator/sign-up": {
    summary: "Get who may sign up",
    needs: "operator",
    reply: SignUpRecord,
  },
  "PUT /api/operator/sign-up": {
    summary: "Choose who may sign up, unless LOQUAT_SIGN_UP says it",
    needs: "operator",
    confirms: true,
    body: Type.Object({ policy: Type.Enum([...SIGN_UP]) }),
    reply: SignUpRecord,
  },
  "GET /api/operator/selling": {
    summary: "Get what this server lacks to sell",
    needs: "operator",
    reply: Type.Object({
      object: Type.Literal("selling"),
      /** Whether the first organization is prepaid: who set the server up sells. */
      is_selling: Flag,
      needs: Type.Array(
        Type.Object({
          id: Type.Enum(["mail", "payments", "address", "sign_up"]),
          name: Text,
          is_met: Flag,
          /** What to do where it is not met. */
          remedy: Text,
        }),
      ),
    }),
  },
  "POST /api/operator/selling/test": {
    summary: "Send the caller a mail, open a checkout of $5, or ask the public address for this server",
    needs: "operator",
    body: Type.Object({ need: Type.Enum(["mail", "payments", "address"]) }),
    reply: Type.Object({
      object: Type.Literal("selling_test"),
      is_met: Flag,
      /** What happened, or what the other side answered. */
      message: Text,
      /** The page of the checkout; it expires within an hour. */
      url: nullable(Text),
    }),
  },
  "GET /api/operator/users": {
    summary: "List the people of the server, the newest first",
    needs: "operator",
    query: Type.Object({
      /** A part of a name or an address. */
      search: Type.Optional(Type.String({ maxLength: 254 })),
      /** "pending": only those whose address is not verified. */
      status: Type.Optional(Type.Enum(["pending"])),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      cursor: Type.Optional(Text),
    }),
    reply: listOf(Person),
  },
  "POST /api/operator/users/:person/approve": {
    summary: "Vouch for the address of someone who has signed up, in place of the mailed link",
    needs: "operator",
    confirms: true,
  },
  "POST /api/operator/users/:person/password-link": {
    summary: "Make a link that sets a new password, once, within an hour",
    needs: "operator",
    confirms: true,
    status: 201,
    reply: Type.Object({ object: Type.Literal("password_link"), url: Text, expires_at: Whole }),
  },
  "DELETE /api/operator/users/:person": {
    summary: "Delete someone whose address is not verified",
    needs: "operator",
    confirms: true,
  },
} as const satisfies Routes;
