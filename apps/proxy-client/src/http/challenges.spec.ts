import { schemesOf } from './challenges.js';
import type { FieldLine } from './field-lines.js';

function schemes(...values: readonly string[]): readonly string[] {
  const lines = values.map((value): FieldLine => ({ kind: 'proxy', name: 'Proxy-Authenticate', value, text: '' }));
  return schemesOf(lines, 'proxy-authenticate');
}

describe('schemesOf', () => {
  it.each([
    ['one scheme', ['NTLM'], ['ntlm']],
    ['several lines', ['Negotiate', 'NTLM', 'Basic realm="a"'], ['negotiate', 'ntlm', 'basic']],
    [
      'several schemes in a line',
      ['Negotiate, NTLM, Basic realm="a, b", charset="UTF-8"'],
      ['negotiate', 'ntlm', 'basic'],
    ],
    ['a comma and a scheme in a quoted string', ['Basic realm="x, NTLM", Digest nonce="1"'], ['basic', 'digest']],
    ['an escaped quotation mark', ['Basic realm="a\\", NTLM \\\\", Digest qop=auth'], ['basic', 'digest']],
    ['a token68', ['NTLM TlRMTVNTUAACAAAA==, Negotiate YIIBhw=='], ['ntlm', 'negotiate']],
    ['blanks around =', ['Digest realm = "a" , nonce ="b", qop= auth'], ['digest']],
    ['empty members', [', ,Basic realm="a",,'], ['basic']],
    ['a scheme twice', ['Basic realm="a"', 'basic realm="b"'], ['basic']],
    ['a quoted string without its end', ['Basic realm="a, NTLM', 'Digest nonce=1'], ['basic', 'digest']],
    ['a backslash at the end', ['Basic realm="a\\'], ['basic']],
    ['no challenge', ['', '"a", =b, realm=x'], []],
  ])('reads %s', (_title, values, expected) => {
    expect(schemes(...values)).toEqual(expected);
  });

  it('reads no other field', () => {
    const line: FieldLine = { kind: 'www-authenticate', name: 'WWW-Authenticate', value: 'Basic realm="a"', text: '' };
    expect(schemesOf([line], 'proxy-authenticate')).toEqual([]);
  });
});
