import { describe, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { LedgerApi } from '../support/ledger-api.js';
import { lastAnswer, RawConnection } from '../support/raw-http.js';

// With a shorter limit, in api-server.spec.ts.
describe('slow clients of ledger-api', () => {
  it('are ended with 408 after 30 s, on http and https, and delay no one', async () => {
    const api = await LedgerApi.start({ LEDGER_API_HTTPS_PORT: String(await freePort()) });
    try {
      const slow = await Promise.all(
        [api.origin, api.secureOrigin!].flatMap((origin) =>
          [
            'GET /api/v1/health HTTP/1.1\r\nHost:',
            `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"a`,
          ].map(async (bytes) => (await RawConnection.open(origin)).write(bytes)),
        ),
      );
      expect((await api.create('meanwhile')).status).toBe(201);
      for (const connection of slow) {
        expect(lastAnswer(await connection.closed)).toMatchObject({ status: 408, body: { success: false } });
      }
      expect((await api.api('GET', '/assets/meanwhile')).status).toBe(200);
    } finally {
      await api.stop();
    }
  });
});
