/** Focuses a field when the user presses `/` outside of a field. @param selector - of the field */
export function focusOnSlash(event: KeyboardEvent, selector: string): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key !== '/' || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
  if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null) return;
  const field = document.querySelector<HTMLInputElement>(selector);
  if (field === null) return;
  event.preventDefault();
  field.focus();
  field.select();
}
