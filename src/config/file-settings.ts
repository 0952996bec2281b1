/** Where the contents of files are kept, and how large a file may be. */
import { join } from "node:path";
import { address, ConfigError, type Environment, text, textOr, whole } from "./environment.ts";
import { type Secret, secret } from "./secrets.ts";

/** `prefix`: of the names of objects; "" or with a slash at its end. `endpoint` null: AWS. */
export type Bucket = {
  bucket: string;
  prefix: string;
  region: string;
  endpoint: string | null;
  keyId: Secret;
  secret: Secret;
  sessionToken: Secret | null;
};

export type FileSettings = { place: { folder: string } | Bucket; bytesMax: number };

const MIB = 1024 * 1024;
const BUCKET = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/;

export const readFiles = (environment: Environment): FileSettings => ({
  place: readPlace(environment),
  bytesMax: MIB * whole(environment, "LOQUAT_FILE_MB"),
});

function readPlace(environment: Environment): FileSettings["place"] {
  const place = textOr(environment, "LOQUAT_FILES", null);
  const access = readAccess(environment);
  if (place === null) return { folder: join(text(environment, "LOQUAT_DATA"), "files") };
  if (!/^[a-z0-9]+:\/\//i.test(place)) return { folder: place };
  const [, bucket, path = ""] = BUCKET.exec(place) ?? [];
  if (bucket === undefined)
    throw new ConfigError("LOQUAT_FILES must be a directory, or a bucket such as s3://loquat/files.");
  const { keyId, secret } = access;
  if (keyId === null || secret === null)
    throw new ConfigError(
      "LOQUAT_FILES is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, with which it is used.",
    );
  const folders = path.split("/").filter((name) => name !== "");
  return { ...access, bucket, prefix: folders.map((name) => `${name}/`).join(""), keyId, secret };
}

const readAccess = (environment: Environment) => ({
  region: text(environment, "AWS_REGION"),
  endpoint: address(environment, "AWS_ENDPOINT_URL"),
  keyId: secret(environment, "AWS_ACCESS_KEY_ID"),
  secret: secret(environment, "AWS_SECRET_ACCESS_KEY"),
  sessionToken: secret(environment, "AWS_SESSION_TOKEN"),
});
