/** Contents of files in a bucket of S3 or of a server that speaks its protocol. */
import { S3Client } from "bun";
import type { Bucket } from "../config/file-settings.ts";
import type { FileStorage } from "./file-storage.ts";

export function openBucketStorage({ bucket, prefix, region, endpoint, ...keys }: Bucket): FileStorage {
  const client = new S3Client({
    ...{ bucket, region, accessKeyId: keys.keyId(), secretAccessKey: keys.secret() },
    ...(endpoint === null ? {} : { endpoint }),
    ...(keys.sessionToken === null ? {} : { sessionToken: keys.sessionToken() }),
  });
  const keyOf = (name: string) => `${prefix}${name}`;
  return {
    place: `s3://${bucket}/${prefix}`,
    put: async (name, bytes) => void (await client.write(keyOf(name), bytes)),
    async get(name) {
      try {
        return new Uint8Array(await client.file(keyOf(name)).arrayBuffer());
      } catch (error) {
        if ((error as { code?: unknown }).code === "NoSuchKey") return null;
        throw error;
      }
    },
    remove: async (name) => void (await client.delete(keyOf(name))),
    isEmpty: async () => ((await client.list({ prefix, maxKeys: 1 })).contents ?? []).length === 0,
    hasRoom: () => true, // the bucket's owner sees to that
  };
}
