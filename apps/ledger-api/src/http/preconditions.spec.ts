import { InvalidRequestError } from './api.errors.js';
import { isKnown, parseIfMatch } from './preconditions.js';

const A = 'a'.repeat(43);
const B = '-_'.padEnd(43, 'b');

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', undefined],
    [' * ', undefined],
    [`"${A}"`, [A]],
    [`"${A}", "${B}"`, [A, B]],
    [`"${A}","${B}"`, [A, B]],
    [`, "${A}", ,`, [A]],
    // Compared strongly, a weak tag is nobody's; nor is one that was not made here.
    [`W/"${A}"`, []],
    [`W/"${A}", "${B}"`, [B]],
    ['"x"', []],
    ['""', []],
    [`"${A},${B}"`, []],
  ])('%j names %j', (header, digests) => {
    expect(parseIfMatch({ 'if-match': header })).toEqual(digests);
  });

  it.each(['', A, `"${A}`, `${A}"`, `"${A}" "${B}"`, `"${A}", *`, `*, "${A}"`, `w/"${A}"`, `"a b"`, '"\u0100"'])(
    'refuses %j',
    (header) => {
      expect(() => parseIfMatch({ 'if-match': header })).toThrow(InvalidRequestError);
    },
  );

  it('refuses the condition of reads', () => {
    expect(() => parseIfMatch({ 'if-match': `"${A}"`, 'if-none-match': '*' })).toThrow(/If-None-Match is for reads/);
  });

  it('reads a long list in time that grows with its length', () => {
    expect(parseIfMatch({ 'if-match': Array(300).fill(`"${A}"`).join(', ') })).toHaveLength(300);
    expect(() => parseIfMatch({ 'if-match': `${', '.repeat(8000)}x` })).toThrow(InvalidRequestError);
  });
});

describe('If-None-Match', () => {
  it.each([
    [undefined, false],
    ['*', true],
    [`"${A}"`, true],
    [`W/"${A}"`, true],
    [`"${B}", W/"${A}"`, true],
    [`"${B}"`, false],
    ['"x"', false],
  ])('%j is known: %p', (header, known) => {
    expect(isKnown({ 'if-none-match': header }, A)).toBe(known);
  });

  it('refuses what is no list of tags', () => {
    expect(() => isKnown({ 'if-none-match': A }, A)).toThrow(/in its double quotes/);
  });
});
