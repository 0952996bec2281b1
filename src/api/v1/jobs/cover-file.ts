/** The cover of a job that speaks, which is a file of its project: its picture is kept with the job, and the file may go. */
import type { Principal } from "../../../accounts/principal.ts";
import type { Picture } from "../../../audio/tags.ts";
import { byteText } from "../../../byte-text.ts";
import { COVER_BYTES_MAX, pictureType } from "../../../documents/document-text.ts";
import { type Detail, invalidInput } from "../../../errors.ts";
import type { Files } from "../../../files/files.ts";
import { noSuchFile } from "../../../jobs/new-row.ts";
import type { Holding } from "../../../memory/budget.ts";

const FIELD = "cover_file_id";

type Reading = { files: Pick<Files, "find" | "content">; owner: Principal; holding: Pick<Holding, "take"> };

/** Refuses what is no JPEG or PNG, or too large. */
export async function coverIn({ files, owner, holding }: Reading, fileId: string): Promise<Picture> {
  const file = await files.find(owner, fileId);
  if (file === null) throw noSuchFile(FIELD);
  if (file.bytes > COVER_BYTES_MAX) throw refused("too_long", `is larger than ${byteText(COVER_BYTES_MAX)}`);
  holding.take(2 * file.bytes);
  const bytes = Buffer.concat(await Array.fromAsync(files.content(file)));
  const type = pictureType(bytes);
  if (type === null) throw refused("malformed", "is neither a JPEG nor a PNG");
  return { type, bytes };
}

/** A cover that a format cannot have. `formats`: that have one. */
export const noCoverIn = (formats: readonly string[]) =>
  refused("malformed", `is for response_format ${formats.join(" or ")}`);

const refused = (code: Detail["code"], message: string) => invalidInput([{ field: FIELD, code, message }]);
