import { FormatError } from './format-error.js';
import { parseAuthority } from './authority.js';

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
    ['Example.COM:8080', 'example.com', 8080],
    ['under_score.example', 'under_score.example', 80],
    ['example.com.', 'example.com.', 80],
    ['127.1', '127.1', 80],
    ['0x7f.1:1', '0x7f.1', 1],
    ['[::1]', '::1', 80],
    ['[::FFFF:1.2.3.4]:65535', '::ffff:1.2.3.4', 65_535],
    ['a'.repeat(255), 'a'.repeat(255), 80],
    ['example.com:00080', 'example.com', 80],
  ])('reads %j without changing what it means', (authority, host, port) => {
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
