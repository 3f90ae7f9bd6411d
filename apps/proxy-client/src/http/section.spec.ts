import { malformed } from './field-lines.js';
import { MORE, SectionMemory, SectionReader, type SectionOptions } from './section.js';

function checkStart(line: string, isComplete: boolean): void {
  if (!line.startsWith(isComplete ? 'HTTP/' : 'HTTP/'.slice(0, line.length))) throw malformed('no status line');
}

function reader(withStartLine: boolean, options: SectionOptions = { limit: 1000, checkStart }) {
  const section = new SectionReader(options, withStartLine);
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
    const [first, second] = [new SectionReader(options, false), new SectionReader(options, false)];
    const push = (each: SectionReader, count: number) => {
      const bytes = Buffer.from(line.repeat(count));
      return each.push(bytes, 0, bytes.length);
    };
    expect([push(first, 40), push(second, 10)]).toEqual([MORE, MORE]);
    expect(() => push(second, 10)).toThrow('no memory left');
    for (const each of [first, second]) each.release();
    const third = new SectionReader(options, false);
    expect(push(third, 40)).toBe(MORE);
    // A section that has ended holds nothing.
    expect(third.push(Buffer.from('\r\n'), 0, 2)).toBe(2);
    expect(push(new SectionReader(options, false), 40)).toBe(MORE);
  });

  it('limits blanks, which do not count as header bytes', () => {
    const section = new SectionReader({ limit: 100 }, false);
    const blanks = Buffer.from(`X:${' '.repeat(500)}`);
    expect(section.push(blanks, 0, blanks.length)).toBe(MORE);
    expect(() => section.push(blanks, 2, blanks.length)).toThrow('over the limit');
  });
});
