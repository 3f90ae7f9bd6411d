import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { upload, UploadInterrupted } from './upload-client.js';
import { ToolError } from '../../tool-error.js';

let server: Server;
beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Uploads one line to a server that answers in a way; reads its answers. */
async function uploadTo(respond: (response: ServerResponse) => void): Promise<void> {
  server.on('request', (_, response: ServerResponse) => {
    respond(response);
  });
  const { port } = server.address() as AddressInfo;
  const target = {
    url: `http://127.0.0.1:${port}`,
    path: '/assets',
    idempotencyKey: 'k',
    apiKey: undefined,
    ca: undefined,
  };
  const answers = upload(Readable.from([Buffer.from('{}')]), target);
  for await (const { status } of answers) expect(status).toBe(201);
}

/** Writes a text until the client disconnects. */
function writeEndlessly(response: ServerResponse, text: string): void {
  const write = (): void => {
    while (!response.destroyed && response.write(text));
  };
  response.on('drain', write);
  write();
}

describe('a broken connection', () => {
  it('may be tried again, and an error of the lines may not', async () => {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      response.flushHeaders();
      request.once('data', () => {
        request.socket.resetAndDestroy();
      });
    });
    const { port } = server.address() as AddressInfo;
    const target = {
      url: `http://127.0.0.1:${port}`,
      path: '/assets',
      idempotencyKey: 'k',
      apiKey: undefined,
      ca: undefined,
    };
    const endless = async function* (): AsyncGenerator<Uint8Array> {
      for (;;) yield await Promise.resolve(Buffer.alloc(1000, '1'));
    };
    await expect(upload(endless(), target).next()).rejects.toBeInstanceOf(UploadInterrupted);
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from('1'));
      throw new ToolError('line 2 is wrong');
    };
    await expect(upload(broken(), target).next()).rejects.toThrow('line 2 is wrong');
  });
});

describe('a connection that cannot be made', () => {
  const targetAt = (url: string) => ({
    ...{ url, path: '/assets', idempotencyKey: 'k', apiKey: undefined, ca: undefined },
  });
  const uploadAt = (url: string) => upload(Readable.from([Buffer.from('{}')]), targetAt(url)).next();

  it('is reported with what to do, also for a name with several addresses', async () => {
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}`;
      const text = `The connection to ${url} failed: no program listens there. Start ledger-api, or name its address with --url.`;
      await expect(uploadAt(url)).rejects.toThrow(text);
      await expect(uploadAt(url)).rejects.toBeInstanceOf(UploadInterrupted);
    }
  });

  it('is not tried again if it will fail again', async () => {
    const { port } = server.address() as AddressInfo;
    const refusal = uploadAt(`https://127.0.0.1:${port}`);
    await expect(refusal).rejects.toThrow('the server does not answer in TLS. Check http or https after --url.');
    await expect(refusal).rejects.not.toBeInstanceOf(UploadInterrupted);
  });
});

describe('an answer without an end', () => {
  it('is read no further than the longest line', async () => {
    const uploading = uploadTo((response) => {
      writeEndlessly(response, 'x'.repeat(1024));
    });
    await expect(uploading).rejects.toThrow(
      new ToolError('The server answered a line that is too long: it is not the API.'),
    );
  });

  it('is read no further than the lines that were sent', async () => {
    const uploading = uploadTo((response) => {
      writeEndlessly(response, '{"line":1,"status":201}\n');
    });
    await expect(uploading).rejects.toThrow('answered more lines than were sent');
  });

  it('with an error is read as far as its message is shown', async () => {
    const uploading = uploadTo((response) => {
      writeEndlessly(response.writeHead(503), 'x'.repeat(1024));
    });
    await expect(uploading).rejects.toThrow(new UploadInterrupted(`The server answered 503: ${'x'.repeat(500)}`));
  });
});
