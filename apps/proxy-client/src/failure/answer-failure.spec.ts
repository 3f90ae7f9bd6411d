import { createHash } from 'node:crypto';
import { failureAnswer } from './answer-failure.js';
import { FAILURES, type FailureCategory } from './failure-table.js';
import { ProxyFailure } from './proxy-failure.js';

const render = (category: FailureCategory, host?: string) =>
  failureAnswer(new ProxyFailure(category), { keepAlive: true, withBody: true, page: { host } });

describe('the page of a failure', () => {
  it.each(Object.keys(FAILURES) as FailureCategory[])(
    'describes what happened, where, and what to check: %s',
    (category) => {
      const [head = '', body = ''] = render(category, 'a.example').split('\r\n\r\n');
      const { status, text } = FAILURES[category];
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(head).toContain(`\r\nContent-Length: ${body.length}\r\n`);
      expect(body).toMatch(/^[\n\x20-\x7e]*$/);
      const shown = body
        .replace(/<[^>]+>/g, ' ')
        .replace(/\s+/g, ' ')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'");
      for (const sentence of text.split(/(?<=\. )/)) expect(shown).toContain(sentence.trim());
      expect(body.match(/class="here"/g)).toHaveLength(1);
      expect(body).toContain('<code>a.example</code>');
    },
  );

  it('runs and loads nothing, and has one style, allowed by its hash', () => {
    const [head = '', body = ''] = render('timeout').split('\r\n\r\n');
    const style = /<style>([^]*)<\/style>/.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(head).toContain(
      `Content-Security-Policy: default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n`,
    );
    expect(head).toContain('\r\nX-Content-Type-Options: nosniff\r\n');
    expect(head).toContain('\r\nContent-Type: text/html; charset=utf-8\r\n');
    expect(body).not.toMatch(/<script|<link|<img|<a |style=|\son\w+=|url\(|https?:/i);
    expect(body).not.toContain('<code>');
  });

  it('escapes the host', () => {
    expect(render('timeout', `<b>"&'`)).toContain('<code>&lt;b&gt;&quot;&amp;&#39;</code>');
  });
});
