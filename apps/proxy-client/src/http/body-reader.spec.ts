import { BodyReader, type BodyFraming } from './body-reader.js';
import { MORE } from './section.js';
import { flat } from './testing/read-answers.js';
import { split } from './testing/read-requests.js';

const CHUNKED = '5;a=b\r\nhello\r\n3\r\n, w\r\n4\r\norld\r\n0\r\nX-Sum: 12\r\n\r\n';
const BEHIND = 'GET / HTTP/1.1\r\n';

/** Reads a message, in chunks that each overwrite the same buffer. */
function read(reader: BodyReader, framing: BodyFraming, length: number, pieces: readonly string[]) {
  const memory = Buffer.alloc(256);
  let body = '';
  let before = 0;
  reader.begin({ framing, length });
  for (const piece of ['', ...pieces]) {
    const end = memory.write(piece, 'latin1');
    reader.clear();
    const stop = reader.push(memory, 0, end);
    for (let index = 0; index < reader.pieces.length; index += 2) {
      body += memory.toString('latin1', reader.pieces[index], reader.pieces[index + 1]);
    }
    memory.fill('#');
    if (stop !== MORE) return { body, end: before + stop, trailers: reader.trailers && flat(reader.trailers) };
    before += end;
  }
  return { body, end: undefined, trailers: undefined };
}

describe('BodyReader', () => {
  const reader = new BodyReader(65_536);

  it('finds no body if there is none, and the end of an empty one at once', () => {
    const nothing = { body: '', end: 0, trailers: undefined };
    expect(read(reader, 'none', 0, [BEHIND])).toEqual(nothing);
    expect(read(reader, 'length', 0, [BEHIND])).toEqual(nothing);
  });

  it('finds the same body and end wherever it is split, one message after the other', () => {
    const bounds = Array.from({ length: CHUNKED.length }, (_, index) => index);
    for (const first of bounds) {
      for (const second of bounds.slice(first)) {
        const chunked = read(reader, 'chunked', 0, split(CHUNKED + BEHIND, [first, second]));
        expect(chunked).toEqual({ body: 'hello, world', end: CHUNKED.length, trailers: ['X-Sum', '12'] });
        const counted = read(reader, 'length', 12, split(`hello, world${BEHIND}`, [first, second]));
        expect(counted).toEqual({ body: 'hello, world', end: 12, trailers: undefined });
      }
    }
  });

  it('reads up to the end of the connection if that is the end of the body', () => {
    expect(reader.endsWithConnection).toBe(false);
    expect(read(reader, 'close', 0, ['a', 'b', 'c'])).toEqual({ body: 'abc', end: undefined, trailers: undefined });
    expect(reader.endsWithConnection).toBe(true);
  });

  it('refuses a chunk over its limit', () => {
    const small = new BodyReader(100, 15);
    expect(read(small, 'chunked', 0, ['f\r\n'])).toMatchObject({ end: undefined });
    expect(() => read(small, 'chunked', 0, ['10\r\n'])).toThrow('chunk size too large');
  });
});
