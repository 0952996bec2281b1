/** Copying to the clipboard. On plain HTTP browsers offer the older way only: a selection and a command. */

/** Whether the text was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.className = "unseen";
  const focused = document.activeElement;
  // outside an open dialog nothing can be selected
  const place = [...document.querySelectorAll("dialog:modal")].at(-1) ?? document.body;
  place.append(area);
  area.select();
  try {
    return document.execCommand("copy");
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
