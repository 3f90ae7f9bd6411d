import type { ApiError } from './errors.js';
import { isKnown, parseIfMatch, requireCreate } from './preconditions.js';

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
    // Compared strongly, a weak tag matches nothing, nor does a foreign one.
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
      expect(() => parseIfMatch({ 'if-match': header })).toThrow(
        expect.objectContaining({ code: 'API.INVALID_REQUEST' }) as Error,
      );
    },
  );

  it('refuses If-None-Match on an update', () => {
    expect(() => parseIfMatch({ 'if-match': `"${A}"`, 'if-none-match': '*' })).toThrow(
      /If-None-Match is for reads and creates/,
    );
  });

  it('reads a long list in time that grows with its length', () => {
    expect(parseIfMatch({ 'if-match': `${', '.repeat(8000)}"${A}"` })).toEqual([A]);
    expect(() => parseIfMatch({ 'if-match': `${', '.repeat(8000)}x` })).toThrow(
      expect.objectContaining({ code: 'API.INVALID_REQUEST' }) as Error,
    );
  });
});

describe('defect: a write recorded every tag of a long If-Match', () => {
  it.each([`"${A}"`, `W/"${A}"`, '"x"'])('accepts eight tags such as %j and refuses nine', (tag) => {
    const list = (count: number) => ({ 'if-match': Array(count).fill(tag).join(', ') });
    expect(() => parseIfMatch(list(8))).not.toThrow();
    expect(() => parseIfMatch(list(9))).toThrow(expect.objectContaining({ code: 'API.INVALID_REQUEST' }) as Error);
  });
});

describe('defect: a create ignored its preconditions', () => {
  it.each([
    [{}, undefined],
    [{ 'if-none-match': '*' }, undefined],
    [{ 'if-match': '*' }, 'API.PRECONDITION_FAILED'],
    [{ 'if-match': `"${A}"` }, 'API.PRECONDITION_FAILED'],
    [{ 'if-match': `W/"x", "${A}"` }, 'API.PRECONDITION_FAILED'],
    [{ 'if-match': `"${A}"`, 'if-none-match': '*' }, 'API.PRECONDITION_FAILED'],
    [{ 'if-match': A }, 'API.INVALID_REQUEST'],
    [{ 'if-match': '' }, 'API.INVALID_REQUEST'],
    [{ 'if-none-match': `"${A}"` }, 'API.INVALID_REQUEST'],
    [{ 'if-none-match': A }, 'API.INVALID_REQUEST'],
    [{ 'if-match': '*', 'if-none-match': `"${A}"` }, 'API.INVALID_REQUEST'],
  ])('decides about %j: %s', (headers, code) => {
    let error: unknown;
    try {
      requireCreate(headers);
    } catch (thrown) {
      error = thrown;
    }
    expect((error as ApiError | undefined)?.code).toBe(code);
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

  it('refuses a malformed list', () => {
    expect(() => isKnown({ 'if-none-match': A }, A)).toThrow(/in its double quotes/);
  });
});
