import { RawConnection } from '../../../../test/support/raw-http.js';
import { RawOrigin } from '../../../../test/support/raw-origin.js';
import { RunningForwarder } from './testing/start-forwarder.js';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nDate: now\r\n\r\nhi';

describe('Forwarder', () => {
  it('sends a request on and relays the answer', async () => {
    await using origin = await RawOrigin.answering(OK);
    await using proxy = await RunningForwarder.start();
    const client = await RawConnection.open(proxy.url);
    client.write(`GET ${origin.url}/a/../b?c HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await client.until('hi')).toBe(OK);
    expect(origin.heads).toEqual([`GET /a/../b?c HTTP/1.1\r\nHost: ${origin.authority}\r\n\r\n`]);
    client.write(`GET ${origin.url}/2 HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await client.until(`${OK}${OK}`)).toBe(`${OK}${OK}`);
    expect(origin.sides.length).toBe(1);
    expect(proxy.counted).toEqual([2, 0]);
    client.socket.destroy();
  });
});
