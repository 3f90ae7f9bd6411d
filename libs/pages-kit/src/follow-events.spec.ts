import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerEvent } from './event-parser.js';
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

/** Answers with a stream of this text, which then stays open or ends. */
function stream(text: string, isWhole = true): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text);
    if (isWhole) response.end();
  };
}

function status(code: number): Answer {
  return (_request, response) => {
    response.writeHead(code).end();
  };
}

/** Follows until the server refuses, which it does when it has no answer left. */
async function followed(options: Partial<FollowOptions> = {}) {
  const events: ServerEvent[] = [];
  const states: StreamState[] = [];
  const refusal = await new Promise<Response>((onRefused) => {
    followEvents({
      url,
      headers: () => ({ authorization: 'Bearer key' }),
      onEvent: (event) => events.push(event),
      onState: (state) => states.push(state),
      onRefused,
      ...options,
    });
  });
  return { events, states, status: refusal.status };
}

describe('followEvents', () => {
  it('gives what comes, and goes on from there after the end', async () => {
    answers = [stream('retry: 1\nid: 5:0\ndata: é\n\n'), stream('data: two\n\n')];
    const { events, states, status: refused } = await followed({ after: '4:end' });
    expect(events.map(({ data, id }) => [data, id])).toEqual([
      ['é', '5:0'],
      ['two', '5:0'],
    ]);
    expect(states).toEqual(['connecting', 'live', 'lost', 'live', 'lost']);
    expect(refused).toBe(404);
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['4:end', '5:0', '5:0']);
    expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer key', accept: 'text/event-stream' });
  });

  it('asks a server that is busy again, and one that knows nothing of the id without it', async () => {
    answers = [status(503), stream('retry: 1\n\n'), status(400), status(401)];
    const { states, status: refused } = await followed({ after: '9:0' });
    expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual(['9:0', '9:0', '9:0', undefined]);
    expect(states.filter((state) => state === 'lost')).toHaveLength(3);
    expect(refused).toBe(401);
  });

  it('takes no other answer for a stream', async () => {
    answers = [(_request, response) => response.end('a page of whatever stands in between')];
    expect((await followed()).states).toEqual(['connecting', 'lost']);
  });

  it('gives up a stream that has died without a word', async () => {
    answers = [stream('retry: 1\ndata: one\n\n', false)];
    // Long enough for an answer on a busy machine; if it is not, it is lost once more before it is refused.
    const { events, states } = await followed({ quiet: 2000 });
    expect(events).toHaveLength(1);
    expect(states.slice(0, 3)).toEqual(['connecting', 'live', 'lost']);
  });

  it('is over at once when it is ended', async () => {
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
