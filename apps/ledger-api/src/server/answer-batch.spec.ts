import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { RawConnection } from '../../../../test/support/raw-http.js';
import { AnswerBatch, withAnswerBatch } from './answer-batch.js';

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const servers: Server[] = [];
const connections: RawConnection[] = [];

afterEach(() => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** So many answers of one server, each on a connection of its own, none of them begun. */
async function answers(count: number): Promise<ServerResponse[]> {
  const server = createServer({ ServerResponse: withAnswerBatch(new AnswerBatch()) });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const begun: ServerResponse[] = [];
  while (begun.length < count) {
    const connection = await RawConnection.open(`http://127.0.0.1:${port}`);
    connections.push(connection.write(GET));
    begun.push(((await once(server, 'request')) as [unknown, ServerResponse])[1]);
  }
  return begun;
}

async function endOfTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const areSent = (responses: readonly ServerResponse[]) => responses.map(({ req }) => req.socket.bytesWritten > 0);

describe('a batch of answers', () => {
  it('keeps those that are finished in one turn until its end, then sends all', async () => {
    const responses = await answers(3);
    responses.forEach((response, index) => response.writeHead(200, { 'content-length': 1 }).end(String(index)));
    expect(areSent(responses)).toEqual([false, false, false]);
    await endOfTurn();
    expect(areSent(responses)).toEqual([true, true, true]);
    for (const [index, connection] of connections.entries()) {
      expect(await connection.until(`\r\n\r\n${index}`)).toMatch(/^HTTP\/1\.1 200 OK/);
    }
  });

  it('shows at once that a request is answered', async () => {
    const [response] = await answers(1);
    response!.writeHead(200).end('x');
    expect([response!.headersSent, response!.writableEnded, ...areSent([response!])]).toEqual([true, true, false]);
  });

  it('sends what waits when it is full', async () => {
    const responses = await answers(17);
    for (const response of responses) response.writeHead(200).end('x');
    expect(areSent(responses)).toEqual([...Array.from({ length: 16 }, () => true), false]);
    await endOfTurn();
    expect(areSent(responses).at(-1)).toBe(true);
  });

  it('sends an answer without a head of its own at once', async () => {
    const [response] = await answers(1);
    response!.end('x');
    expect(response!.writableEnded).toBe(true);
  });

  it('cuts an answer that cannot be finished, and sends the others', async () => {
    const [broken, whole] = await answers(2);
    broken!.writeHead(200).end(Symbol('no text'));
    whole!.writeHead(200, { 'content-length': 1 }).end('x');
    expect(await connections[0]!.closed).not.toMatch(/no text/);
    expect(await connections[1]!.until('\r\n\r\nx')).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});
