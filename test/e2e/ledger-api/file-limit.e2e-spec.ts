import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { verifyLedger } from '#embedded-ledger';
import { LedgerApi } from '../../support/ledger-api.js';
import { RawConnection } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const NONE_LEFT = '"code":"EMFILE","msg":"no file descriptor is available';

function create(id: string): string {
  const body = JSON.stringify({ id, appraisedValue: '1', color: 'blue', owner: 'Tomoko', size: '5' });
  const head = `POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
}

describe('a ledger-api that may open few files', () => {
  it('writes for connected clients, logs once that others cannot be served, and serves them when there is room', async () => {
    const api = await LedgerApi.start({}, undefined, { openFiles: 96 });
    try {
      const kept = await RawConnection.open(api.origin);
      const clients = await Promise.all(Array.from({ length: 160 }, async () => RawConnection.open(api.origin)));
      await api.program.printed(NONE_LEFT);
      // The first write ever: its thread for signatures finds no descriptor either.
      await kept.write(create('first')).until('"ID":"first"');
      await kept.write(create('second')).until('"ID":"second"');

      for (const { socket } of clients) socket.destroy();
      await Promise.all(clients.map(async ({ closed }) => closed));
      await api.program.printed('file descriptors are available again');
      expect((await api.api('GET', '/health')).status).toBe(200);
      for (const id of ['first', 'second']) expect((await api.api('GET', `/assets/${id}`)).status).toBe(200);
      expect((await api.create('third')).status).toBe(201);
      expect(api.program.stdout.split(NONE_LEFT)).toHaveLength(2);
      expect(await api.program.end()).toEqual({ code: 0, signal: null });
      expect(await verifyLedger({ path: api.dataDir })).toMatchObject({ findings: [], transactions: 4 });
    } finally {
      await api.program.end();
      await rm(api.dataDir, { recursive: true, force: true });
    }
  });

  const POST = 'POST /api/v1/assets HTTP/1.1\r\nHost: localhost\r\n';
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['a body that is too long', `${POST}Content-Type: application/json\r\nContent-Length: 2000000\r\n\r\n`],
    ['a body of another type', `${POST}Content-Type: text/plain\r\nContent-Length: 9\r\n\r\n`],
  ])('defect: clients that were refused and never close lock everyone else out: %s', async (_what, refused) => {
    const api = await LedgerApi.start({}, undefined, { openFiles: 96 });
    const clients: Socket[] = [];
    try {
      const { port } = new URL(api.origin);
      for (let n = 0; n < 160; n++) {
        clients.push(
          connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined),
        );
        clients[n]!.write(refused);
      }
      // Several at once: while a single descriptor is free, Node accepts and resets all connections but one.
      await until(async () => {
        const requests = Array.from({ length: 5 }, async () => api.api('GET', '/health'));
        const answers = await Promise.allSettled(requests);
        return answers.every((answer) => answer.status === 'fulfilled' && answer.value.status === 200);
      });
    } finally {
      for (const client of clients) client.destroy();
      await api.stop();
    }
  });
});
