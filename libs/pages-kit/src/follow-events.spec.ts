import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { followEvents, type FollowOptions, type StreamState } from './follow-events.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const server = createServer((request, response) => {
  requests.push(request);
  const answer = answers.shift();
  if (answer === undefined) response.writeHead(404).end();
  else answer(request, response);
});
let url: string;
let requests: IncomingMessage[];
let answers: Answer[];

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  requests = [];
  answers = [];
});

/** Answers with an event stream of this text, which then ends or stays open. */
function stream(text: string, ends = true): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text);
    if (ends) response.end();
  };
}

function status(code: number): Answer {
  return (_request, response) => {
    response.writeHead(code).end();
  };
}

/** Follows the stream until the server refuses it, which it does when no answer is left. */
async function followed(options: Partial<FollowOptions> = {}) {
  const events: { readonly type: string; readonly data: string }[] = [];
  const states: StreamState[] = [];
  const refusal = await new Promise<Response>((onRefused) => {
    followEvents({
      url,
      headers: () => ({ authorization: 'Bearer key' }),
      onEvent: (type, data) => events.push({ type, data }),
      onState: (state) => states.push(state),
      onRefused,
      ...options,
    });
  });
  return { events, states, status: refusal.status };
}

describe('followEvents', () => {
  it('delivers events, and connects again after the stream ends', async () => {
    answers = [stream(': a comment\n\nretry: 1\n\nid: 5\nevent: stats\ndata: é: 1\n\n'), stream('data: two\n\nhalf')];
    const { events, states, status: refused } = await followed();
    expect(events).toEqual([
      { type: 'stats', data: 'é: 1' },
      { type: 'message', data: 'two' },
    ]);
    expect(states).toEqual(['connecting', 'live', 'lost', 'live', 'lost']);
    expect(refused).toBe(404);
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer key', accept: 'text/event-stream' });
  });

  it('delivers events that arrive in pieces', async () => {
    const bytes = Buffer.from('retry: 1\n\ndata: ä€\n\ndata: two\n\n');
    answers = [
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const write = (at: number): void => {
          if (at === bytes.length) response.end();
          else response.write(bytes.subarray(at, at + 1), () => setImmediate(write, at + 1));
        };
        write(0);
      },
    ];
    expect((await followed()).events.map(({ data }) => data)).toEqual(['ä€', 'two']);
  });

  it('retries a busy server', async () => {
    answers = [status(503), stream('retry: 1\n\n'), status(429), status(401)];
    const { states, status: refused } = await followed();
    expect(states.filter((state) => state === 'lost')).toHaveLength(3);
    expect(refused).toBe(401);
  });

  it('delivers an error event, and reports the refusal of the reconnect that follows', async () => {
    answers = [stream('retry: 1\n\nevent: error\ndata: {"code":"LEDGER.CALLER_REFUSED"}\n\n'), status(403)];
    const { events, status: refused } = await followed();
    expect(events).toEqual([{ type: 'error', data: '{"code":"LEDGER.CALLER_REFUSED"}' }]);
    expect(refused).toBe(403);
  });

  it('does not treat another content type as a stream', async () => {
    answers = [(_request, response) => response.end('the page of a gateway')];
    expect((await followed()).states).toEqual(['connecting', 'lost']);
  });

  it('reconnects when the idle timeout expires', async () => {
    answers = [stream('retry: 1\ndata: one\n\n', false)];
    // Long enough for an answer on a busy machine.
    const { events, states } = await followed({ idleTimeout: 2000 });
    expect(events).toHaveLength(1);
    expect(states.slice(0, 3)).toEqual(['connecting', 'live', 'lost']);
  });

  it('closes the connection at once when stopped', async () => {
    answers = [stream('data: one\n\n', false)];
    const states: StreamState[] = [];
    const closed = new Promise((resolve) => server.once('request', ({ socket }) => socket.once('close', resolve)));
    await new Promise<void>((resolve) => {
      const stop = followEvents({
        url,
        headers: () => ({}),
        onEvent: () => {
          stop();
          resolve();
        },
        onState: (state) => states.push(state),
        onRefused: () => undefined,
      });
    });
    await closed;
    expect(states).toEqual(['connecting', 'live']);
    expect(requests).toHaveLength(1);
  });
});
