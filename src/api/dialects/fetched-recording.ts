/** A recording that a request names by its address: fetched as an upload is received, within the same limits. */
import { Refusal } from "../../errors.ts";
import { FILE_BYTES_MAX } from "../../metered/request-limits.ts";
import { checkedUrl, type Guard, guardedRequest } from "../../net/guarded-request.ts";
import { parsedUpload, type Upload } from "../middleware/body/upload.ts";
import { WholeBody } from "../middleware/body/whole-body.ts";
import type { Admitted } from "../middleware/metering.ts";

const TOTAL_MS = 120_000;

/** `param`: the field that has the address. `header`: what raw samples need before them. */
type Fetching = Pick<Admitted, "holding" | "signal"> & { param: string; header: Uint8Array | null };

/** Throws `url_not_allowed`, `url_unreachable`, or what refuses an upload of its size. */
export async function fetchRecording(guard: Guard, address: string, fetching: Fetching): Promise<Upload> {
  const { holding, signal, param, header } = fetching;
  const url = checkedUrl(address, param);
  const entered = await holding.upload(FILE_BYTES_MAX, signal);
  return parsedUpload(entered, new WholeBody(holding.take, 0, header), async (push) => {
    const answer = await guardedRequest(guard, url, { method: "GET", totalMs: TOTAL_MS, signal, param });
    try {
      if (answer.status !== 200)
        throw new Refusal("url_unreachable", `The address answered with status ${answer.status}.`, { param });
      for await (const chunk of answer.chunks()) push(chunk);
    } finally {
      answer.close();
    }
  });
}
