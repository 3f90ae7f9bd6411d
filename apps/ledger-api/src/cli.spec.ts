import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { InvalidEnvironmentError } from '#ledger-config';
import { LedgerError } from '#ledger-gateway';
import { TlsFileError } from './server/tls-identity.js';
import { startFailureLines } from './cli.js';

describe('startFailureLines', () => {
  it.each([
    [new InvalidEnvironmentError(['A = "x": no.', 'B = "y": no.']), ['A = "x": no.', 'B = "y": no.']],
    [
      new LedgerError('LEDGER.MISCONFIGURED', 'the directory is\nin use'),
      ['The ledger cannot be opened (LEDGER.MISCONFIGURED): the directory is in use'],
    ],
    [new TlsFileError('LEDGER_API_TLS_CERT: no.'), ['LEDGER_API_TLS_CERT: no.']],
    [new Error('out of luck'), ['ledger-api could not start: out of luck']],
    ['thrown text', ['ledger-api could not start: thrown text']],
  ])('reports %p without a stack', (error, lines) => {
    expect(startFailureLines(error)).toEqual(lines);
  });

  it('reports a port that is in use', async () => {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const { port } = first.address() as AddressInfo;
    const second = createServer().listen(port, '127.0.0.1');
    const [error] = (await once(second, 'error').catch((reason: unknown) => [reason])) as unknown[];
    first.close();
    expect(startFailureLines(error)).toEqual([
      `Cannot listen on 127.0.0.1 port ${port}: another program uses the port. ` +
        'Change LEDGER_API_HOST, LEDGER_API_PORT or LEDGER_API_HTTPS_PORT.',
    ]);
  });
});
