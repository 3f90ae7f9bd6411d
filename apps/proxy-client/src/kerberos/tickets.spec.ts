import { textOf } from './tickets.js';

describe('textOf', () => {
  it.each([
    ['No Kerberos credentials available (default cache: FILE:/tmp/krb5cc_0)', 'There is no Kerberos ticket: run kinit'],
    ['SPNEGO cannot find mechanisms to negotiate', 'There is no Kerberos ticket: run kinit'],
    ['Ticket expired', 'The Kerberos ticket has expired: run kinit, or set keytab.'],
    [
      'Server HTTP/x@CORP.TEST not found in Kerberos database',
      'The Kerberos server does not know HTTP/x: use the full name',
    ],
    [
      'Server krbtgt/OTHER@CORP.TEST not found in Kerberos database',
      'No Kerberos realm is known for HTTP/x (OTHER was tried)',
    ],
    ["Cannot contact any KDC for realm 'CORP.TEST'", 'The Kerberos server of the realm cannot be reached.'],
    ["Cannot find KDC for realm 'CORP.TEST'", 'The Kerberos server of the realm cannot be reached.'],
    ['Clock skew too great', 'The clock of this machine differs'],
    ['something else', 'No Kerberos ticket for HTTP/x could be obtained.'],
  ])('explains %j', (text, expected) => {
    expect(textOf('kerberos', text, 'HTTP/x')).toContain(expected);
  });

  it.each([
    ['koffi', 'npm install koffi@'],
    ['library', 'install libgssapi-krb5-2'],
    ['silent', 'The Kerberos server does not answer in time.'],
    ['ended', 'The thread for Kerberos cannot run.'],
  ] as const)('explains what is missing: %s', (error, expected) => {
    expect(textOf(error, '', '')).toContain(expected);
  });
});
