import { Socket, type SocketConnectOpts } from 'node:net';

/** Makes connections of this process to a port fail as if it had no free file descriptor, until it is disposed of. */
export function withoutDescriptors(port: number): Disposable {
  const { prototype } = Socket;
  const connect = Reflect.get(prototype, 'connect') as (this: Socket, ...args: unknown[]) => Socket;
  prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    // net.connect passes an array with the options.
    const [options] = args.flat() as [SocketConnectOpts];
    if (!('port' in options) || options.port !== port) return connect.apply(this, args);
    return this.destroy(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' }));
  };
  return { [Symbol.dispose]: () => Reflect.set(prototype, 'connect', connect) };
}
