/**
 * Whether an object in JSON text names a member twice. RFC 8259 (4) leaves open which of them counts: `JSON.parse` keeps the last
 * silently, another reader may keep the first. Every string literal in the text is a name or a value, so that their number
 * shows whether one was lost.
 * @param text - valid JSON
 * @param value - what `JSON.parse` made of it
 */
export function namesTwice(text: string, value: unknown): boolean {
  return !isShortest(text, value) && countLiterals(text) !== countStrings(value);
}

/**
 * Whether the text is as short as one for this value can be: an object of strings with nothing blank and nothing escaped, which
 * leaves no room for another member. Programs send this form, and it is recognized without parsing the text.
 */
function isShortest(text: string, value: unknown): boolean {
  if (!isObject(value) || Array.isArray(value)) return false;
  // A bracket, `"name":"value"` and a comma or the bracket behind each.
  let shortest = 1;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'string') return false;
    shortest += name.length + member.length + 6;
  }
  return shortest === text.length;
}

/** Without recursion: a few kilobytes of text can nest deeper than the stack is. */
function countStrings(value: unknown): number {
  let count = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') count += 1;
    else if (Array.isArray(next)) for (const element of next) left.push(element);
    else if (isObject(next)) {
      for (const member of Object.values(next)) left.push(member);
      count += Object.keys(next).length;
    }
  }
  return count;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
