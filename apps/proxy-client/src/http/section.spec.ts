import { malformed } from './format-error.js';
import { MORE } from './scanner.js';
import { SectionMemory, SectionReader, type SectionOptions } from './section.js';

function checkBeginning(buffer: Buffer, start: number, end: number): void {
  if (!'HTTP/'.startsWith(buffer.toString('latin1', start, Math.min(end, start + 5))))
    throw malformed('no status line');
}

function reader(withStartLine: boolean, options: SectionOptions = { limit: 1000, checkBeginning }) {
  const section = new SectionReader(options);
  section.reset(withStartLine);
  return (text: string) => section.push(Buffer.from(text), 0, text.length);
}

describe('SectionReader', () => {
  it.each(['SSH-2.0-OpenSSH_9.2\r\n', '220 mail.example ESMTP\r\n', 'HTTQ', '\r'])(
    'rejects %j at once: such a server waits, and the proxy would wait for the end of a header',
    (greeting) => {
      expect(() => reader(true)(greeting)).toThrow('no status line');
    },
  );

  it('waits while the received bytes can become a status line, byte by byte', () => {
    const push = reader(true);
    for (const byte of 'HTTP/1.1 200 OK\r\n') expect(push(byte)).toBe(MORE);
  });

  it('does not expect a status line in trailers', () => {
    expect(reader(false, { limit: 1000 })('X-Sum: 1')).toBe(MORE);
  });

  it('buffers a few KiB of each section, and of larger ones no more than the shared memory', () => {
    const memory = new SectionMemory(65_536);
    const options = { limit: 1_000_000, memory };
    const line = `X: ${'x'.repeat(1000)}\r\n`;
    const [first, second] = [new SectionReader(options), new SectionReader(options)];
    for (const each of [first, second]) each.reset(false);
    const push = (each: SectionReader, count: number) => {
      const bytes = Buffer.from(line.repeat(count));
      return each.push(bytes, 0, bytes.length);
    };
    expect([push(first, 40), push(second, 10)]).toEqual([MORE, MORE]);
    expect(() => push(second, 10)).toThrow('no memory left');
    first.release();
    second.reset(false);
    expect(push(second, 40)).toBe(MORE);
    // A section that has ended holds nothing.
    expect(second.push(Buffer.from('\r\n'), 0, 2)).toBe(2);
    first.reset(false);
    expect(push(first, 40)).toBe(MORE);
  });

  it('limits blanks, which do not count as header bytes', () => {
    const section = new SectionReader({ limit: 100 });
    section.reset(false);
    const blanks = Buffer.from(`X:${' '.repeat(500)}`);
    expect(section.push(blanks, 0, blanks.length)).toBe(MORE);
    expect(() => section.push(blanks, 2, blanks.length)).toThrow('over the limit');
  });
});
