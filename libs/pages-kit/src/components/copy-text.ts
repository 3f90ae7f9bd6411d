/**
 * Puts a text into the clipboard. Pages over http from another machine have none (https://w3c.github.io/clipboard-apis/), so
 * there it is selected and copied as the keyboard would.
 *
 * @returns whether it is there
 */
export async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Not allowed; the older way may be.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.className = 'unseen';
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  // Deprecated for the reason above, and without a replacement here.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
