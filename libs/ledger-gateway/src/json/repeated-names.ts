/**
 * Returns whether an object in JSON text has two members of the same name. RFC 8259 (4) leaves open which of them counts:
 * `JSON.parse` returns the last one silently, another reader may return the first. Every string literal in the text is a name
 * or a value, so their number shows whether one was lost.
 * @param text - valid JSON
 * @param value - the result of `JSON.parse`
 */
export function namesTwice(text: string, value: unknown): boolean {
  return countLiterals(text) !== countStrings(value);
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

function countLiterals(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', endOfLiteral(text, start) + 1))
    count += 1;
  return count;
}

function endOfLiteral(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, index: number): boolean {
  let backslashes = 0;
  while (text[index - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}
