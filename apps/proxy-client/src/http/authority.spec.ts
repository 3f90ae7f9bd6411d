import { FormatError } from './field-lines.js';
import { parseAuthority, parseTarget } from './authority.js';

function refusal(authority: string): string | undefined {
  try {
    parseAuthority(authority, 80);
    return undefined;
  } catch (error) {
    return error instanceof FormatError ? `${error.fault}: ${error.message}` : String(error);
  }
}

describe('parseAuthority (RFC 3986, section 3.2; RFC 9110, section 4.2)', () => {
  it.each([
    ['example.com', 'example.com', 80],
    ['Example.COM:8080', 'Example.COM', 8080],
    ['under_score.example', 'under_score.example', 80],
    ['example.com.', 'example.com.', 80],
    ['127.1', '127.1', 80],
    ['0x7f.1:1', '0x7f.1', 1],
    ['[::1]', '::1', 80],
    ['[::FFFF:1.2.3.4]:65535', '::FFFF:1.2.3.4', 65_535],
    ['a'.repeat(255), 'a'.repeat(255), 80],
    ['example.com:00080', 'example.com', 80],
  ])('parses %j without changing it', (authority, host, port) => {
    expect(parseAuthority(authority, 80)).toEqual({ host, port });
  });

  it.each([
    ['', 'empty host'],
    [':80', 'malformed host or port'],
    ['a'.repeat(256), 'host name over 255 bytes'],
    ['user@example.com', 'malformed host or port'],
    ['user:secret@example.com:80', 'malformed host or port'],
    ['a@b@c', 'malformed host or port'],
    ['example.com:', 'malformed host or port'],
    ['example.com:0', 'port outside 1 to 65535'],
    ['example.com:65536', 'port outside 1 to 65535'],
    ['example.com:4294967739', 'malformed host or port'],
    ['example.com:4294972296', 'malformed host or port'],
    ['example.com:+80', 'malformed host or port'],
    ['example.com:-1', 'malformed host or port'],
    ['example.com:80 ', 'malformed host or port'],
    ['example.com:0x50', 'malformed host or port'],
    ['example.com:80:80', 'malformed host or port'],
    ['::1', 'malformed host or port'],
    ['[::1', 'malformed host or port'],
    ['[::1]x', 'malformed host or port'],
    ['[::1%25eth0]', 'malformed host or port'],
    ['[::1%25.example.com]', 'malformed host or port'],
    ['[fe80::1%eth0]', 'malformed host or port'],
    ['[1.2.3.4]', 'malformed IPv6 address'],
    ['[::g]', 'malformed host or port'],
    ['[:::]', 'malformed IPv6 address'],
    ['[v1.x]', 'malformed host or port'],
    ['ex%61mple.com', 'malformed host or port'],
    ['exa mple.com', 'malformed host or port'],
    ['example.com\\evil', 'malformed host or port'],
    ['example.com\0', 'malformed host or port'],
    ['example.com\r\nx', 'malformed host or port'],
    ['example.com\n', 'malformed host or port'],
    ['ex\xe4mple.com', 'malformed host or port'],
    ['a,b', 'malformed host or port'],
    ['a;b', 'malformed host or port'],
  ])('refuses %j', (authority, detail) => {
    expect(refusal(authority)).toBe(`malformed: ${detail}`);
  });
});

describe('parseTarget', () => {
  it.each([
    ['bücher.example:80', 'xn--bcher-kva.example', 80],
    ['BÜCHER.Example:80', 'xn--bcher-kva.example', 80],
    ['bücher。example.:1', 'xn--bcher-kva.example.', 1],
    ['①②⑦.0.0.1:80', '127.0.0.1', 80],
    ['A.CORP.Example:80', 'A.CORP.Example', 80],
    ['XN--bcher-kva.example:80', 'XN--bcher-kva.example', 80],
    ['[::1]:80', '::1', 80],
  ])('reads %j: names with other letters than ASCII as A-labels, all others as they are', (text, host, port) => {
    expect(parseTarget(text)).toEqual({ host, port });
  });

  it.each([
    'bücher.example',
    'bücher.example:',
    'bücher.example:0',
    'bücher:x@a.example:80',
    'ü/a:80',
    'ü#a:80',
    'ü%20a:80',
    '\u2100.example:80',
    '\ufffd.example:80',
    '[::1ü]:80',
    `${'ü'.repeat(300)}:80`,
    `${'ü.'.repeat(127)}ü:80`,
    'example.com',
    ':80',
  ])('refuses %j', (text) => {
    expect(() => parseTarget(text)).toThrow(FormatError);
  });
});
