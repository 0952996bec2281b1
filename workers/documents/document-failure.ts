/** Why a document is not read, thrown where it is found. */
import type { DocumentFault } from "../../src/documents/document-text.ts";

export class DocumentFailure extends Error {
  /** `by`: of one that is protected, the system that does it. */
  constructor(
    readonly fault: DocumentFault,
    readonly by = "",
  ) {
    super(fault);
  }
}
