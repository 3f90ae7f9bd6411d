// The scenario `pages` of `npm run bench:ledger`: first pages on a large ledger, and what others notice of who pages.
import { Agent, request } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { endCandidate, OURS, runLoad, startCandidate } from './ledger-candidates.mjs';
import { fill } from './ledger-scenarios.mjs';

const ID = 'versions';
const VERSIONS = 10_000;
const OWNERS = 100;
const FIRST_PAGES = 100;
const HISTORY = `/api/v1/assets/${ID}/history?limit=100`;
const OWNER = '/api/v1/assets?owner=Tomoko&limit=100';
const RARE = '/api/v1/assets?owner=Rare&limit=100';

/** Requests one after the other on one connection. */
class Client {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #port;

  constructor(port) {
    this.#port = port;
  }

  async call(path, method = 'GET', body = undefined) {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request({ host: '127.0.0.1', port: this.#port, path, method, headers, agent: this.#agent });
    outgoing.end(body && JSON.stringify(body));
    const [response] = await once(outgoing, 'response');
    const json = JSON.parse(await text(response));
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];
    return { status: response.statusCode, items: json.data, next };
  }

  /** Follows the pages of a list until it is stopped, from the beginning again behind the last one. */
  async walk(first, lists) {
    for (let path = first; lists.go; path ??= first) {
      const { status, next } = await this.call(path);
      if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`);
      path = next;
    }
  }

  close() {
    this.#agent.destroy();
  }
}

export async function pages(directory, { transactions }) {
  await fill(directory, transactions);
  const candidate = await startCandidate(OURS, directory);
  const client = new Client(candidate.port);
  try {
    await prepare(client);
    const indexed = await untilIndexed(client);
    return {
      assets: transactions,
      'index complete after ms': indexed,
      'p50 ms of the first 100 of an owner of nearly all': await firstPage(client, OWNER),
      'p50 ms of the first 100 of an owner of 100': await firstPage(client, RARE),
      [`p50 ms of the first 100 of ${VERSIONS} versions`]: await firstPage(client, HISTORY),
      'p50 ms of the first 100 blocks': await firstPage(client, '/api/v1/blocks?limit=100'),
      'p50 ms of the first 100 transactions': await firstPage(client, '/api/v1/transactions?limit=100'),
      ...(await others(candidate.port)),
    };
  } finally {
    client.close();
    await endCandidate(candidate);
  }
}

/** An asset with many versions, and one owner of few assets, unless an earlier run has made them. */
async function prepare(client) {
  const asset = { appraisedValue: '300', color: 'blue', owner: 'Rare', size: '5' };
  for (let n = 0; n < OWNERS; n++) await client.call('/api/v1/assets', 'POST', { ...asset, id: `rare-${n}` });
  const { status } = await client.call('/api/v1/assets', 'POST', { ...asset, id: ID, owner: 'Many' });
  if (status !== 201) return;
  for (let n = 1; n < VERSIONS; n++) {
    await client.call(`/api/v1/assets/${ID}/transfer`, 'PUT', { newOwner: `Many ${n}` });
  }
}

/** An owner of few assets has a whole page only by the index. */
async function untilIndexed(client) {
  const began = performance.now();
  while ((await client.call(RARE)).items.length < OWNERS);
  return performance.now() - began;
}

async function firstPage(client, path) {
  const times = [];
  for (let n = 0; n < FIRST_PAGES; n++) {
    const began = performance.now();
    const { items } = await client.call(path);
    if (items.length !== 100) throw new Error(`GET ${path} gave ${items.length}`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[FIRST_PAGES / 2];
}

/** Reads of one asset by 8 connections: alone, and while clients page. */
async function others(port) {
  const read = async () => (await runLoad('get', port, 8, 4000, 'fill', 1000)).p99;
  const readsDuringPaging = async (paths) => {
    const lists = { go: true };
    const clients = paths.map(() => new Client(port));
    const walks = clients.map((client, index) => client.walk(paths[index], lists));
    const p99 = await read();
    lists.go = false;
    await Promise.all(walks);
    for (const client of clients) client.close();
    return p99;
  };
  const readsDuringReplays = async () => {
    const sockets = await Promise.all(Array.from({ length: 8 }, () => replay(port)));
    const p99 = await read();
    if (sockets.some(({ closed }) => closed)) throw new Error('a replay was cut');
    for (const socket of sockets) socket.destroy();
    return p99;
  };
  const all = ['/api/v1/blocks', '/api/v1/transactions', '/api/v1/assets?color=red', OWNER];
  await read();
  return {
    'p99 ms of a read': await read(),
    'p99 ms of a read next to 8 clients that page through everything': await readsDuringPaging([...all, ...all]),
    [`p99 ms of a read next to one that reads ${VERSIONS} versions`]: await readsDuringPaging([HISTORY]),
    'p99 ms of a read next to 8 clients that follow from the first block': await readsDuringReplays(),
  };
}

/** A client that reads all events there ever were; resolves when the first have come. */
async function replay(port) {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /api/v1/events?from=1 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');
  return socket.resume();
}
