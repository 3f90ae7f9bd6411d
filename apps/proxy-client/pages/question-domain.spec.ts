import { domainOf } from './question-domain.ts';

it.each([
  ['api.example.com:443', '*.example.com'],
  ['a.b.example.co.uk:443', '*.b.example.co.uk'],
  ['www.example.co.uk:443', '*.example.co.uk'],
  ['example.co.uk:443', undefined],
  ['example.com:443', undefined],
  ['intranet:80', undefined],
  ['192.0.2.1:80', undefined],
  ['[2001:db8::1]:80', undefined],
])('the domain of %s is %j', (target, domain) => {
  expect(domainOf(target)).toBe(domain);
});
