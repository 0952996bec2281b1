/** The error codes of voices that organizations make of their own, and of the consents of their speakers. */

export const VOICE_CODES = {
  voice_cloning_not_supported: {
    status: 400,
    meaning: "The engine neither encodes recorded voices nor speaks with them.",
    message: "Supertonic 3 speaks with its own voices only.",
    param: "voice",
  },
  voice_cloning_disabled: {
    status: 403,
    meaning: "The operator of the server does not allow voices that are made of recordings.",
    message: "The operator of this server has switched voice cloning off.",
  },
  voice_unreadable: {
    status: 409,
    meaning: "The voice was encrypted with another secret than the server has now.",
    message: "voice_0mh3k2q9x17f0c2d4e6a8b1c was encrypted with another secret than the server has now.",
    param: "voice",
  },
  too_many_voices: {
    status: 409,
    meaning: "The organization has as many voices of its own as it may have.",
    message:
      "Your organization has 100 voices of its own, which is as many as it may have. Delete one first.",
  },
  invalid_consent: {
    status: 404,
    meaning: "There is no such consent of this organization.",
    message: "There is no consent cons_0mh3k2q9x17f0c2d4e6a8b1c of your own.",
    param: "consent",
  },
  too_many_consents: {
    status: 409,
    meaning: "The organization has as many consents as it may have.",
    message: "Your organization has 100 consents, which is as many as it may have. Delete one first.",
  },
} as const;
