import { MORE } from './section-scanner.js';
import { SectionReader } from './section-reader.js';

function reader(withStartLine: boolean) {
  const section = new SectionReader(1000);
  section.reset(withStartLine);
  return (text: string) => section.push(Buffer.from(text), 0, text.length);
}

describe('SectionReader', () => {
  it.each(['SSH-2.0-OpenSSH_9.2\r\n', '220 mail.example ESMTP\r\n', 'HTTQ', '\r'])(
    'refuses %j at once: such a server waits for us, and we would wait for the end of a header',
    (greeting) => {
      expect(() => reader(true)(greeting)).toThrow('no status line');
    },
  );

  it('waits while what came can still become a status line, byte by byte', () => {
    const push = reader(true);
    for (const byte of 'HTTP/1.1 200 OK\r\n') expect(push(byte)).toBe(MORE);
  });

  it('knows that trailers have no status line', () => {
    expect(reader(false)('X-Sum: 1')).toBe(MORE);
  });
});
