import { createHash } from 'node:crypto';
import { claimedIdOf, isHashOf, isWhole, makeApiKey } from './api-key.js';

/** The id of a text that is a key. */
const idOfKey = (text: string): string | undefined => {
  const id = claimedIdOf(text);
  return id !== undefined && isWhole(text) ? id : undefined;
};

describe('makeApiKey', () => {
  it('makes keys of one form, each with an id, its hash and a checksum', () => {
    for (let count = 0; count < 200; count++) {
      const { id, text, sha256 } = makeApiKey();
      expect(text).toMatch(/^lk_[0-9a-z]{8}_[0-9A-Za-z]{49}$/);
      expect(idOfKey(text)).toBe(id);
      expect(sha256).toBe(createHash('sha256').update(text).digest('hex'));
      expect(isHashOf(text, Buffer.from(sha256, 'hex'))).toBe(true);
      expect(isHashOf(makeApiKey().text, Buffer.from(sha256, 'hex'))).toBe(false);
    }
  });

  it('makes another one each time', () => {
    const made = Array.from({ length: 500 }, makeApiKey);
    expect(new Set(made.map(({ text }) => text.slice(12, 55))).size).toBe(500);
    expect(new Set(made.map(({ id }) => id)).size).toBe(500);
  });
});

describe('a text that may be a key', () => {
  it('is none with any character changed, lost, added or of another case', () => {
    const { text } = makeApiKey();
    for (let at = 0; at < text.length; at++) {
      const [before, one, after] = [text.slice(0, at), text.charAt(at), text.slice(at + 1)];
      for (const other of ['', one === 'x' ? 'y' : 'x', `${one}0`, '\u212a', '_']) {
        expect([at, other, idOfKey(before + other + after)]).toEqual([
          at,
          other,
          one === other ? expect.any(String) : undefined,
        ]);
      }
    }
    for (const other of [
      ` ${text}`,
      `${text} `,
      `${text}\n`,
      `"${text}"`,
      `${text}, ${text}`,
      text + text,
      '',
      'lk_',
    ]) {
      expect(idOfKey(other)).toBeUndefined();
    }
  });

  it('is looked at at once, whatever it is', () => {
    for (const long of ['lk_'.repeat(5000), `lk_${'a'.repeat(16_000)}`, `lk_abcdefgh_${'A'.repeat(16_000)}`]) {
      expect(idOfKey(long)).toBeUndefined();
    }
  });
});
