import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { freePort } from '../../../../test/support/free-port.js';
import type { StandInOrganisation } from './stand-in-identities.js';

/** A service and its implementation. */
export type Service = readonly [ServiceDefinition, UntypedServiceImplementation];

/** The transport of a server: clear text, TLS, or mutual TLS. */
export type Transport = 'clear' | 'tls' | 'mutual-tls';

export interface StandInServerOptions {
  readonly organisation: StandInOrganisation;
  readonly transport: Transport;
  readonly services: readonly Service[];
}

/** A gRPC server on loopback that can be stopped and started again at its address. */
export class StandInServer {
  readonly #it: StandInServerOptions;
  #port = 0;
  #server: Server | undefined;

  constructor(options: StandInServerOptions) {
    this.#it = options;
  }

  get endpoint(): string {
    return `localhost:${this.#port}`;
  }

  get isServing(): boolean {
    return this.#server !== undefined;
  }

  async start(): Promise<void> {
    const server = new Server({ 'grpc.max_receive_message_length': -1 });
    for (const [definition, implementation] of this.#it.services) server.addService(definition, implementation);
    // While it is stopped, its clients continue to connect to the port, which no other process may use.
    this.#port ||= await freePort();
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`localhost:${this.#port}`, this.#credentials(), (error) => {
        if (error === null) resolve();
        else reject(error);
      });
    });
    this.#server = server;
  }

  /** Closes every connection at once, as a killed process does. */
  stop(): void {
    this.#server?.forceShutdown();
    this.#server = undefined;
  }

  #credentials(): ServerCredentials {
    const { transport, organisation } = this.#it;
    if (transport === 'clear') return ServerCredentials.createInsecure();
    const { root, server } = organisation.tls;
    const pair = { cert_chain: Buffer.from(server.certificate), private_key: Buffer.from(server.privateKey) };
    return ServerCredentials.createSsl(Buffer.from(root.certificate), [pair], transport === 'mutual-tls');
  }
}
