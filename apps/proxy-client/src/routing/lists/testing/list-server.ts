import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of one file, whose answers a test changes. */
export class ListServer implements AsyncDisposable {
  /** The conditional headers of the requests. */
  readonly requests: { readonly path: string; readonly condition: string | undefined }[] = [];
  body: string | Buffer = 'ads.example\n';
  etag: string | undefined = '"1"';
  /** Answers instead of the file. */
  answer: ((incoming: IncomingMessage, response: ServerResponse) => void) | undefined;
  readonly #server: Server = createServer((incoming, response) => {
    const { 'if-none-match': match, 'if-modified-since': since } = incoming.headers;
    this.requests.push({ path: incoming.url ?? '', condition: match ?? since });
    if (this.answer !== undefined) this.answer(incoming, response);
    else if (this.etag !== undefined && match === this.etag) response.writeHead(304).end();
    else response.writeHead(200, this.etag === undefined ? {} : { ETag: this.etag }).end(this.body);
  });

  static async start(): Promise<ListServer> {
    const made = new ListServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/ads.txt`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
