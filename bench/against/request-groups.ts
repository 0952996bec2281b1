/** Speech, and the catalogue. */
import { median, quantile } from "../harness/row.ts";
import { besideBare, requestsPerSecond } from "../requests/models.ts";
import { firstAudioWaits, rateOf, whole } from "../requests/speech.ts";
import { figure, type Group, onServer } from "./group.ts";

const ROUNDS = 5;
const ESPEAK = { voice: "female-sunny" };

export const SPEECH: Group = {
  rounds: ROUNDS,
  figures: [
    figure("first audio of 200 characters, 1 caller, p50", "ms", "at most 35"),
    figure("first audio of 200 characters, 1 caller, p95", "ms", "at most 50"),
    figure("first audio of 200 characters, 8 callers, p50", "ms", "at most 60"),
    figure("first audio of 200 characters, 8 callers, p95", "ms", "at most 130"),
    figure("synthesis, 8 callers", "x realtime", "at least 180"),
    figure("an eSpeak voice, a whole text", "x realtime", "at least 350"),
  ],
  open: (checkout) =>
    onServer(checkout, async (server) => {
      const [one, eight] = [await firstAudioWaits(server, 1), await firstAudioWaits(server, 8)];
      return [
        median(one),
        quantile(one, 0.95),
        median(eight),
        quantile(eight, 0.95),
        await rateOf(8, (text) => whole(server, text)),
        await rateOf(1, (text) => whole(server, text, ESPEAK)),
      ];
    }),
};

export const CATALOGUE: Group = {
  rounds: ROUNDS,
  figures: [figure("GET /v1/models, ratio to a bare server", "x", "at least 0.63")],
  open: (checkout) =>
    onServer(checkout, async (server) => {
      const { ours, theirs, bare } = await besideBare(server);
      const [rate, bareRate] = [await requestsPerSecond(ours), await requestsPerSecond(theirs)];
      bare.stop();
      return [rate / bareRate];
    }),
};
