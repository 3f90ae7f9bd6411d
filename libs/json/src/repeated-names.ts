/**
 * Returns whether an object in JSON text has two members of the same name. RFC 8259 (4) leaves open which of them counts:
 * `JSON.parse` returns the last one silently, another reader may return the first. Every string literal in the text is a name
 * or a value, so their number shows whether one was lost.
 * @param text - valid JSON
 * @param value - the result of `JSON.parse`
 */
export function namesTwice(text: string, value: unknown): boolean {
  // Without escapes, each literal has two quotation marks.
  const unescaped = text.includes('\\') ? text.replaceAll(/\\./g, '') : text;
  let quotes = 0;
  for (let at = unescaped.indexOf('"'); at !== -1; at = unescaped.indexOf('"', at + 1)) quotes += 1;
  return quotes / 2 !== countStrings(value);
}

/** Without recursion: a few kilobytes of text can nest deeper than the stack is. */
function countStrings(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') count += 1;
    else if (typeof next === 'object' && next !== null) {
      if (!Array.isArray(next)) count += Object.keys(next).length;
      for (const member of Object.values(next)) left.push(member);
    }
  }
  return count;
}
