import type { lookup as Lookup, LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { UpstreamAddress } from './upstream-address.js';

type Answer = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A resolver that answers when the test says so. */
function scripted(): { readonly lookup: typeof Lookup; readonly asked: Answer[] } {
  const asked: Answer[] = [];
  return { lookup: ((_name: string, _options: object, answer: Answer) => asked.push(answer)) as never, asked };
}

const V4 = { address: '127.0.0.1', family: 4 };
const V6 = { address: '::1', family: 6 };

function resolve(address: UpstreamAddress, all: boolean): Promise<unknown> {
  return new Promise((done, fail) => {
    address.options.lookup?.('ignored', { all }, (error, found) => {
      if (error === null) done(found);
      else fail(error);
    });
  });
}

describe('UpstreamAddress', () => {
  it.each(['127.0.0.1', '::1'])('looks nothing up for the address %s', (host) => {
    expect(new UpstreamAddress(host, 1080).options).toEqual({ host, port: 1080 });
  });

  it('asks once for all who wait, and once for a while', async () => {
    const { lookup, asked } = scripted();
    const address = new UpstreamAddress('proxy.example', 1080, lookup);
    const waiting = [resolve(address, true), resolve(address, false)];
    expect(asked).toHaveLength(1);
    asked[0]!(null, [V6, V4]);
    expect(await Promise.all(waiting)).toEqual([[V6, V4], '::1']);
    expect(await resolve(address, true)).toEqual([V6, V4]);
    expect(asked).toHaveLength(1);
    address.failed();
    const again = resolve(address, true);
    asked[1]!(null, [V4]);
    expect(await again).toEqual([V4]);
  });

  it('passes an error on and asks again afterwards', async () => {
    const { lookup, asked } = scripted();
    const address = new UpstreamAddress('proxy.example', 1080, lookup);
    const failing = resolve(address, true);
    asked[0]!(Object.assign(new Error(), { code: 'ENOTFOUND' }), []);
    await expect(failing).rejects.toMatchObject({ code: 'ENOTFOUND' });
    const empty = resolve(address, true);
    asked[1]!(null, []);
    await expect(empty).rejects.toThrow('The name proxy.example has no address.');
  });

  it('tries the address first that answered last', async () => {
    const { lookup, asked } = scripted();
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = new UpstreamAddress('proxy.example', (server.address() as AddressInfo).port, lookup);
    const socket = connect(address.options);
    asked[0]!(null, [V6, V4]);
    await once(socket, 'connect');
    address.connected(socket);
    expect(await resolve(address, true)).toEqual([V4, V6]);
    socket.destroy();
    await new Promise((done) => server.close(done));
  });
});
