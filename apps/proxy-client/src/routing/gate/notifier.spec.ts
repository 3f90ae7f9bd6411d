import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { notify } from './notifier.js';

const QUESTION = {
  ...{ id: '1', target: 'a.example:443', rule: null, waiting: 1, requests: 1, client: '192.0.2.1', user: null },
  ...{ asked_at: '2026-01-31T00:00:00.000Z', until: '2026-01-31T00:00:30.000Z', command: 'proxy-client allow' },
};
const NEVER = new AbortController().signal;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'notifier-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

const shell = (script: string) => ({ command: ['sh', '-c', script, 'sh', directory] });

describe('a command', () => {
  it('gets the question in words and as JSON, and may answer it', async () => {
    const { command } = shell('cat > $1/body; echo "$2" > $1/words; echo; echo \'{"answer": "yes"}\'');
    expect(await notify({ command }, QUESTION, NEVER)).toBe('\n{"answer": "yes"}\n');
    expect(JSON.parse(readFileSync(join(directory, 'body'), 'utf8'))).toEqual(QUESTION);
    expect(readFileSync(join(directory, 'words'), 'utf8')).toBe('192.0.2.1 wants to reach a.example:443\n');
    const words = async (question: object) => notify(shell('echo "{$2"'), { ...QUESTION, ...question }, NEVER);
    expect(await words({ user: 'ana' })).toBe('{ana wants to reach a.example:443\n');
    expect(await words({ client: null })).toBe('{a client wants to reach a.example:443\n');
  });

  it('need neither read nor answer', async () => {
    expect(await notify(shell('exec <&-; echo told'), QUESTION, NEVER)).toBeUndefined();
    expect(await notify(shell(':'), QUESTION, NEVER)).toBeUndefined();
  });

  it('has failed if it cannot be started, or exits with an error', async () => {
    await expect(notify({ command: [join(directory, 'missing')] }, QUESTION, NEVER)).rejects.toThrow('ENOENT');
    await expect(notify({}, QUESTION, NEVER)).rejects.toThrow();
    await expect(notify(shell('echo "{}"; exit 3'), QUESTION, NEVER)).rejects.toThrow('it exited with code 3');
  });

  it('is ended in time with all of its processes, even if it ignores that or has left its group', async () => {
    const controller = new AbortController();
    const script = 'trap "" TERM; setsid sleep 1000 & echo $! > $1/pid; sleep 1000 & echo ready > $1/ready; wait';
    const told = notify(shell(script), QUESTION, controller.signal);
    const ended = expect(told).rejects.toThrow('it was ended by SIGKILL');
    while (!existsSync(join(directory, 'ready'))) await delay(10);
    controller.abort();
    await ended;
    process.kill(Number(readFileSync(join(directory, 'pid'), 'utf8')), 'SIGKILL');
  });

  it('has an output of bounded size', async () => {
    const output = await notify(shell('printf "{"; head -c 10000000 /dev/zero | tr "\\0" x'), QUESTION, NEVER);
    expect(output?.length).toBeLessThan(200_000);
  });
});

describe('a URL', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
  let url: string;
  beforeEach(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        answer(request, response, body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  it('gets the question with a signature, and may answer it', async () => {
    const seen: unknown[] = [];
    answer = ({ headers, method, url: path }, response, body) => {
      seen.push([method, path, headers['content-type'], headers['x-signature-256'], JSON.parse(body)]);
      response.end('{"answer": "no"}');
    };
    expect(await notify({ url, secret: 'key' }, QUESTION, NEVER)).toBe('{"answer": "no"}');
    const signature = `sha256=${createHmac('sha256', 'key').update(JSON.stringify(QUESTION)).digest('hex')}`;
    await notify({ url }, QUESTION, NEVER);
    expect(seen).toEqual([
      ['POST', '/hook', 'application/json', signature, QUESTION],
      ['POST', '/hook', 'application/json', undefined, QUESTION],
    ]);
  });

  it('need not answer', async () => {
    for (const body of ['', 'ok', '[]', '"yes"']) {
      answer = (_, response) => response.end(body);
      expect(await notify({ url }, QUESTION, NEVER)).toBeUndefined();
    }
  });

  it.each([500, 404, 302])('has failed with status %d, also if it names an answer', async (status) => {
    answer = (_, response) => response.writeHead(status, { Location: '/other' }).end('{"answer": "yes"}');
    await expect(notify({ url }, QUESTION, NEVER)).rejects.toThrow();
  });

  it('has failed if it is unreachable', async () => {
    server.close();
    server.closeAllConnections();
    await expect(notify({ url }, QUESTION, NEVER)).rejects.toThrow('fetch failed');
  });

  it('is ended in time, before its answer and within it', async () => {
    for (const begun of ['', '{"answer": ']) {
      const controller = new AbortController();
      answer = (_, response) => {
        if (begun !== '') response.write(begun);
        controller.abort();
      };
      await expect(notify({ url }, QUESTION, controller.signal)).rejects.toThrow('aborted');
    }
  });

  it('is not read to its end if its answer is long', async () => {
    answer = (_, response) => {
      response.write(`{${'x'.repeat(100_000)}`);
    };
    expect((await notify({ url }, QUESTION, NEVER))?.length).toBeGreaterThan(4096);
  });
});
