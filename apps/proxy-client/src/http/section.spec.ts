import { malformed } from './field-lines.js';
import { SectionAccount, SectionMemory } from './section-memory.js';
import { MORE, SectionReader, type SectionOptions } from './section.js';

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

  it('charges the memory of an incomplete section, and frees it at the end', () => {
    const memory = new SectionMemory(1_000_000);
    const account = new SectionAccount(memory, () => undefined);
    const section = new SectionReader({ limit: 1_000_000, memory: account }, false);
    const push = (text: string) => section.push(Buffer.from(text), 0, text.length);
    expect(push(`X: ${'x'.repeat(1000)}\r\n`.repeat(40))).toBe(MORE);
    expect(memory.used).toBeGreaterThan(40_000);
    expect(push('\r\n')).toBe(2);
    expect(memory.used).toBe(0);
  });

  it('charges a large section three times from the start: its text and two copies will follow', () => {
    const memory = new SectionMemory(10_000_000);
    const account = new SectionAccount(memory, () => undefined);
    const section = new SectionReader({ limit: 1_000_000, memory: account }, false);
    const text = Buffer.from(`X: ${'x'.repeat(100_000)}`);
    expect(section.push(text, 0, text.length)).toBe(MORE);
    expect(memory.used).toBeGreaterThan(300_000);
    section.push(Buffer.from('\r\n\r\n'), 0, 4);
    expect(section.take().memory).toBeGreaterThan(300_000);
  });

  it('creates no text of a large section for which there is no memory', () => {
    const memory = new SectionMemory(200_000);
    const account = new SectionAccount(memory, () => undefined);
    const section = new SectionReader({ limit: 1_000_000, memory: account }, false);
    const text = Buffer.from(`X: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(() => section.push(text, 0, text.length)).toThrow('no memory left for a header of that size');
  });

  it('frees the memory of a section at its end, without a garbage collection', () => {
    const section = new SectionReader({ limit: 10_000_000 }, false);
    const before = process.memoryUsage().arrayBuffers;
    const line = Buffer.from('x'.repeat(500_000));
    section.push(Buffer.from('X: '), 0, 3);
    for (let count = 0; count < 10; count += 1) section.push(line, 0, line.length);
    section.push(Buffer.from('\r\n\r\n'), 0, 4);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
  });

  it('charges what lines take in addition to their text, which is more than short lines have', () => {
    const memory = new SectionMemory(10_000_000);
    const account = new SectionAccount(memory, () => undefined);
    const lines = Buffer.from('a:\r\n'.repeat(10_000));
    const section = new SectionReader({ limit: 1_000_000, memory: account }, false);
    expect(section.push(lines, 0, lines.length)).toBe(MORE);
    expect(memory.used).toBeGreaterThan(3_000_000);
    section.release();
    expect(memory.used).toBe(0);
  });

  it('allows 10,000 lines', () => {
    const lines = Buffer.from('a:b\r\n'.repeat(10_000));
    const section = new SectionReader({ limit: 1_000_000 }, false);
    expect(section.push(lines, 0, lines.length)).toBe(MORE);
    expect(() => section.push(lines, 0, 1)).toThrow('too many field lines');
  });

  it('counts blanks as header bytes, but for the one after the colon', () => {
    const blanks = Buffer.from(`X:${' '.repeat(100)}`);
    const section = new SectionReader({ limit: 100 }, false);
    expect(section.push(blanks, 0, blanks.length)).toBe(MORE);
    expect(() => section.push(blanks, 2, 3)).toThrow('over the limit');
  });
});
