import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An origin server by node:http. */
export class NodeOrigin implements AsyncDisposable {
  readonly server: Server;

  private constructor(listener: RequestListener) {
    this.server = createServer(listener);
  }

  static async start(listener: RequestListener): Promise<NodeOrigin> {
    const origin = new NodeOrigin(listener);
    origin.server.listen(0, '127.0.0.1');
    await once(origin.server, 'listening');
    return origin;
  }

  get authority(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.authority}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
