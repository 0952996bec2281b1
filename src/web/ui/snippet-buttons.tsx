/** Buttons that copy a call of the API as code. */
import { useState } from "react";
import { copyText } from "../lib/clipboard.ts";
import type { Snippets } from "../lib/snippets.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

const CONFIRMATION_MS = 1500;

/** Where the clipboard is not available, a dialog shows the code instead. */
export function SnippetButtons({ snippets }: { snippets: Snippets }) {
  const [copied, setCopied] = useState<string | null>(null);
  const [visible, setVisible] = useState<string | null>(null);
  async function copy(language: string, code: string) {
    if (!(await copyText(code))) return setVisible(code);
    setCopied(language);
    setTimeout(() => setCopied(null), CONFIRMATION_MS);
  }
  return (
    <>
      {Object.entries(snippets).map(([language, code]) => (
        <Button key={language} kind="quiet" onClick={() => void copy(language, code)}>
          {copied === language ? "Copied" : `Copy as ${language}`}
        </Button>
      ))}
      {visible && (
        <Dialog title="Copy this code" onClose={() => setVisible(null)}>
          <pre>
            <code>{visible}</code>
          </pre>
        </Dialog>
      )}
    </>
  );
}
