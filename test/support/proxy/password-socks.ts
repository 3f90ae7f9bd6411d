import { connect } from 'node:net';
import { encodeReply, Method, Reply } from '#socks5-protocol';
import { greeted, ScriptedSocks5Server } from '#socks5-protocol/testing';

/**
 * Starts a SOCKS5 server that requires a user name and password, notes them, and connects every target to one port of this machine, as
 * if it resolved all names to it.
 */
export async function startPasswordSocks(port: number): Promise<ScriptedSocks5Server> {
  const server = new ScriptedSocks5Server(() => [
    ...greeted(Method.password),
    { write: encodeReply(Reply.succeeded) },
    {
      then: (client, early) => {
        const target = connect({ host: '127.0.0.1', port, allowHalfOpen: true }).on('error', () => client.destroy());
        client.on('close', () => target.destroy());
        target.write(early);
        client.pipe(target).pipe(client);
      },
    },
  ]);
  return server.listen();
}

/** Returns the credentials that a server has received, one `user:password` for each connection. */
export function receivedBy({ connections }: ScriptedSocks5Server): string[] {
  return connections.map(({ credentials }) => `${credentials?.username}:${credentials?.password}`);
}
