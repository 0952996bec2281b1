/**
 * Reads books (EPUB) and web pages: each in a confined process of its own, since they are hostile, and as many at once as there are
 * places, in which organizations take turns.
 *
 *   file or page ──> `workers/documents` ──> title, chapters, cover, or a refusal that names the field
 */
import type { WorkerEnded } from "../engine/back-off.ts";
import { openMediaProcess } from "../engine/media/media-process.ts";
import { type Claim, runnerOf } from "../engine/runner.ts";
import { openScheduler } from "../engine/scheduler.ts";
import { invalidInput } from "../errors.ts";
import { worker } from "../resources.ts";
import {
  type DocumentAnswer,
  type DocumentFault,
  type DocumentLimits,
  type DocumentText,
  parseDocument,
} from "./document-text.ts";

type Source = {
  kind: "epub" | "page";
  content: AsyncIterable<Uint8Array>;
  /** As a page's sender says; "": it does not. */
  charset: string;
  limits: DocumentLimits;
  /** Of the request, that refusals name. */
  field: string;
};

export type Documents = {
  /** Refuses what cannot be read. */
  read(source: Source, claim: Claim): Promise<DocumentText>;
};

/** Of a book with its pictures, and of the HTML of a page. */
export const DOCUMENT_BYTES_MAX = { epub: 100 * 1024 * 1024, page: 10 * 1024 * 1024 };

const PLACES = 2;
const TIMEOUT_MS = 60_000;
/** Of an answer: the text in JSON, of which each character may be six, and a cover. */
const ANSWER_BYTES_MAX = 24 * 1024 * 1024;

export function openDocuments(ended?: WorkerEnded): Documents & AsyncDisposable {
  const places = openScheduler(
    runnerOf((reading: Reading) => readInChild(reading, ended)),
    { traced: "document", size: PLACES, spare: PLACES },
  );
  return {
    async read(source, claim) {
      const answer = await places.run({ ...source, signal: claim.signal }, claim);
      if ("fault" in answer) throw refused(source, answer);
      return answer.document;
    },
    [Symbol.asyncDispose]: () => places[Symbol.asyncDispose](),
  };
}

type Reading = Source & { signal: AbortSignal };

async function readInChild(
  { kind, content, charset, limits, signal }: Reading,
  ended: WorkerEnded | undefined,
): Promise<DocumentAnswer> {
  const sizes = [DOCUMENT_BYTES_MAX[kind], limits.textMax, limits.titleMax].map(String);
  const watched = watchedContent(content, signal);
  await using child = openMediaProcess({
    ...{ script: worker("documents/read-document"), args: [kind, ...sizes, charset] },
    ...{ input: watched.chunks(), timeoutMs: TIMEOUT_MS, signal, ended },
  });
  const json = await textOf(child.output);
  watched.end();
  const exitCode = await child.exited();
  if (watched.failure() !== null) throw watched.failure();
  return (exitCode === 0 && json !== null && parseDocument(json, limits)) || UNREADABLE;
}

/** What breaks off is no fault of the document. What nothing reads any more is not read either. */
function watchedContent(content: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  let failure: unknown = null;
  let isEnded = false;
  return {
    failure: () => failure,
    end: () => {
      isEnded = true;
    },
    async *chunks() {
      try {
        for await (const chunk of content) {
          if (isEnded || signal.aborted) return;
          yield chunk;
        }
      } catch (cause) {
        failure = cause;
        throw cause;
      }
    },
  };
}

/** Null where it is more than an answer may be. */
async function textOf(output: ReadableStream<Uint8Array>): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of output) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** One that takes too much time or memory too. */
const UNREADABLE: DocumentAnswer = { fault: "damaged", by: "" };

const KINDS = { epub: "an EPUB", page: "a web page" };

function refused({ kind, field }: Source, { fault, by }: { fault: DocumentFault; by: string }) {
  const messages: Record<DocumentFault, string> = {
    protected: `is ${KINDS[kind]} that is protected by ${by}: send one without protection`,
    damaged: `is not ${KINDS[kind]} that can be read: it is damaged, or takes too much to read`,
    outside: `is ${KINDS[kind]} that names files outside of itself`,
    nested: `is ${KINDS[kind]} whose elements are nested too deeply`,
    too_large: `is ${KINDS[kind]} with more content than may be read`,
    too_long: `is ${KINDS[kind]} with more text than a job may speak`,
    empty: `is ${KINDS[kind]} without text`,
  };
  const code = fault === "too_long" ? "too_long" : "malformed";
  return invalidInput([{ field, code, message: messages[fault] }]);
}
