import { once } from 'node:events';
import { exchange, received, setUp, talk, type Fixture } from './testing/start-listener.js';

let fixture: Fixture;
afterEach(async () => {
  fixture.connections.destroyAll();
  await fixture.listener.drain();
});

describe('ProxyListener: requests past node:http, whose answers here have no Date', () => {
  const ORDINARY = 'GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n';
  const OTHER = 'GET http://h/ HTTP/1.1\r\nHost:h\r\n\r\n';

  it.each([false, true])('go back and forth on one connection, on an ordinary socket: %j', async (plain) => {
    fixture = await setUp({ plain });
    const { socket, ask } = talk(fixture);
    const dates: boolean[] = [];
    for (const request of [ORDINARY, OTHER, ORDINARY, ORDINARY, OTHER]) {
      dates.push((await ask(request)).includes('Date: '));
      // By then the request is over for node:http too.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(dates).toEqual([false, true, false, false, true]);
    socket.destroy();
  });

  it('go through node:http as long as it waits for the first one of a connection that was silent', async () => {
    fixture = await setUp();
    const { socket, ask } = talk(fixture);
    await once(socket, 'connect');
    await talk(fixture).ask(ORDINARY);
    fixture.connections.destroyIdle(0, 0);
    const answers = [await ask(ORDINARY), await ask(ORDINARY)];
    expect(answers.map((answer) => answer.includes('Date: '))).toEqual([true, false]);
    socket.destroy();
  });

  it('are not those for the listener itself', async () => {
    fixture = await setUp();
    const { socket, ask } = talk(fixture);
    expect(await ask(`GET http://127.0.0.1:${fixture.port}/stats HTTP/1.1\r\nHost: h\r\n\r\n`)).toContain(
      'page /stats',
    );
    socket.destroy();
  });
});

describe('ProxyListener: CONNECT past node:http', () => {
  const TARGET = 'example.com:443';
  const CONNECT = `CONNECT ${TARGET} HTTP/1.1\r\nHost: h\r\n\r\n`;
  const ORDINARY = 'GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n';
  const OTHER = 'GET http://h/ HTTP/1.1\r\nHost:h\r\n\r\n';

  it.each<[string, readonly string[], boolean, string]>([
    ['first on a connection', [CONNECT], false, 'past'],
    ['first on an ordinary socket', [CONNECT], true, 'past'],
    ['behind ordinary requests', [ORDINARY, ORDINARY, CONNECT], false, 'past'],
    ['behind one that node:http has read', [OTHER, CONNECT], false, 'through'],
    ['written in another way', [CONNECT.replace('Host: ', 'Host:')], false, 'through'],
  ])('goes %s', async (_what, requests, plain, way) => {
    fixture = await setUp({ plain });
    const { socket, ask } = talk(fixture);
    let last = '';
    for (const request of requests) {
      last = await ask(request);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect([last, fixture.past]).toEqual([`tunnel ${TARGET} `, way === 'past' ? [TARGET] : []]);
    socket.destroy();
  });

  it('waits for the answers of the requests before it, and gets what stands behind it', async () => {
    fixture = await setUp();
    const { socket } = talk(fixture);
    socket.write(`${ORDINARY.replace('/h/', '/h/hold')}CONNECT a:1 HTTP/1.1\r\nHost: h\r\n\r\nearly`);
    const answer = await fixture.held;
    expect(fixture.past).toEqual([]);
    const text = received(socket);
    answer();
    expect(await text).toMatch(/forward GET http:\/\/h\/holdtunnel a:1 early$/);
    expect(fixture.past).toEqual(['a:1']);
  });

  it('goes through node:http over the limit of connections, which is where that is answered', async () => {
    fixture = await setUp({ limits: { connections: 1 } });
    const first = talk(fixture);
    await first.ask(ORDINARY);
    expect(await exchange(fixture, CONNECT)).toMatch(/^HTTP\/1\.1 503 /);
    expect(fixture.past).toEqual([]);
    first.socket.destroy();
  });
});
