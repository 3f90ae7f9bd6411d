import { once } from 'node:events';
import { setUp, talk, type Fixture } from './testing/start-listener.js';

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
