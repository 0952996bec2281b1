/** Which pages of `docs/` the server shows to callers, in groups. What operators alone need stays in the repository. */

/** `guides`: files below `docs/`, without their extension. */
export type GuideGroup = { name: string; guides: string[] };

export const GUIDE_GROUPS: GuideGroup[] = [
  { name: "Start", guides: ["quickstart", "clients", "requests", "troubleshooting"] },
  { name: "Speech", guides: ["text", "voices"] },
  { name: "Live", guides: ["realtime", "conversations"] },
  { name: "In the background", guides: ["jobs", "files", "webhooks"] },
  {
    name: "Other APIs",
    guides: ["openai-models-that-end", "elevenlabs", "deepgram", "jambonz", "mcp", "home-assistant"],
  },
  {
    name: "Clients",
    guides: ["openai-sdk", "ai-sdk", "livekit", "pipecat", "open-webui", "n8n", "sillytavern"].map(
      (name) => `clients/${name}`,
    ),
  },
  { name: "Organization", guides: ["organization-api", "caps", "two-factor", "privacy", "vocabulary"] },
];

export const GUIDES: string[] = GUIDE_GROUPS.flatMap(({ guides }) => guides);
