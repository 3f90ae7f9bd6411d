import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLOSED_PORT } from '../../../../test/support/closed-port.js';
import { loadConfig } from '../config/load-config.js';
import type { AdminConfig } from '../config/proxy-client-config.js';
import { allow } from './allow.js';

const REQUEST = { target: 'a.example:443', for: '30m' };
const { config: WITHOUT_ADMIN } = loadConfig({
  options: {},
  environment: { PROXY_ADMIN_PORT: 'off' },
  directory: '/nowhere',
});

let errors: string;
let write: typeof process.stderr.write;
const servers: Server[] = [];

beforeEach(() => {
  errors = '';
  write = process.stderr.write.bind(process.stderr);
  process.stderr.write = (text: string | Uint8Array) => {
    errors += String(text);
    return true;
  };
});

afterEach(() => {
  process.stderr.write = write;
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** Starts what answers in place of an admin listener. */
async function answering(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function allowAt(admin: Partial<AdminConfig> | undefined) {
  const config = { ...WITHOUT_ADMIN, ...(admin !== undefined && { admin: { host: '127.0.0.1', port: 0, ...admin } }) };
  const lines: string[] = [];
  const code = await allow(config, REQUEST, (line) => lines.push(line));
  return { code, lines, errors };
}

describe('the command allow', () => {
  it('requests the grant with the token of the configuration, and prints it', async () => {
    const seen: unknown[] = [];
    const port = await answering((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        seen.push([request.method, request.url, request.headers.authorization, body]);
        response.end(JSON.stringify({ id: '7', target: REQUEST.target, until: '2026-01-31T08:30:00.000Z' }));
      });
    });
    expect(await allowAt({ port, token: 's3cret' })).toEqual({
      code: 0,
      lines: ['a.example:443 is allowed until 2026-01-31T08:30:00.000Z (grant 7)'],
      errors: '',
    });
    expect(seen).toEqual([
      ['GET', '/grants', 'Bearer s3cret', ''],
      ['POST', '/grants', 'Bearer s3cret', JSON.stringify(REQUEST)],
    ]);
  });

  it('fails without an admin listener, and where no proxy answers', async () => {
    expect(await allowAt(undefined)).toMatchObject({ code: 1, errors: expect.stringContaining('is off') as string });
    const { code, errors: text } = await allowAt({ port: CLOSED_PORT });
    expect([code, text]).toEqual([1, expect.stringContaining(`No proxy answers at http://127.0.0.1:${CLOSED_PORT}.`)]);
  });

  it('does not send its request to another server that answers on the port', async () => {
    const methods: unknown[] = [];
    const port = await answering((request, response) => {
      methods.push(request.method);
      response.writeHead(404).end();
    });
    expect((await allowAt({ port })).code).toBe(1);
    const moved = await answering((_request, response) => response.writeHead(302, { Location: '/elsewhere' }).end());
    expect((await allowAt({ port: moved })).code).toBe(1);
    expect(methods).toEqual(['GET']);
  });

  it('says which token was refused, and never prints it', async () => {
    const port = await answering((_request, response) => {
      response.writeHead(401, { 'X-Error-Code': 'ADMIN.TOKEN_REQUIRED' }).end();
    });
    const { code, errors: text } = await allowAt({ port, token: 's3cret' });
    expect([code, text]).toEqual([1, expect.stringContaining('does not accept the token of this configuration')]);
    expect(text).not.toContain('s3cret');
  });

  it('reports a proxy that ends before it has answered', async () => {
    const port = await answering((request, response) => {
      if (request.method === 'POST') response.destroy();
      else response.end('{}');
    });
    expect(await allowAt({ port })).toMatchObject({
      code: 1,
      errors: expect.stringContaining('did not answer') as string,
    });
  });

  it('passes on why the proxy refuses the grant', async () => {
    const port = await answering((request, response) => {
      if (request.method === 'POST') response.writeHead(409).end('The rule "reject" refuses this target.\n');
      else response.end('{}');
    });
    expect(await allowAt({ port })).toMatchObject({
      code: 1,
      errors: 'proxy-client: The rule "reject" refuses this target.\n',
    });
  });
});
