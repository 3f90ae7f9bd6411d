// CPU time that reading a request costs, compared with Node's own parser (llhttp):
// `node test/bench/micro/request-reader.mjs`. The least of several rounds, since neighbours only ever add to it.
import { createRequire } from 'node:module';
import process from 'node:process';
import '../../../libs/threads/src/run-from-source.mjs';

const load = (path) => import(new URL(`../../../apps/proxy-client/src/${path}.ts`, import.meta.url).href);
const { RequestReader } = await load('http/request-reader');
const { HTTPParser, methods } = createRequire(import.meta.url)('_http_common');

const ROUNDS = 15;
const LIMIT = 1_048_576;

const FIELDS =
  'Host: a.example:8080\r\nUser-Agent: curl/8.5.0\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nCookie: a=b; c=d\r\n' +
  'Proxy-Connection: Keep-Alive\r\n';
const GET = Buffer.from(`GET http://a.example:8080/some/path?q=1 HTTP/1.1\r\n${FIELDS}\r\n`);
const POST = Buffer.from(`POST http://a.example/ HTTP/1.1\r\n${FIELDS}Content-Length: 1024\r\n\r\n${'b'.repeat(1024)}`);
const CHUNKED = Buffer.from(
  `POST http://a.example/ HTTP/1.1\r\n${FIELDS}Transfer-Encoding: chunked\r\n\r\n400\r\n${'b'.repeat(1024)}\r\n0\r\n\r\n`,
);
/** A head of 1 MiB, in 2,000 pieces. */
const LARGE = Buffer.from(`GET http://a/ HTTP/1.1\r\nHost: a\r\n${`X: ${'x'.repeat(95)}\r\n`.repeat(10_300)}\r\n`);

function ours(pieces) {
  const reader = new RequestReader(LIMIT);
  return () => {
    for (const piece of pieces) reader.push(piece, 0, piece.length);
  };
}

/** As node:http sets it up, with callbacks that do nothing. */
function llhttp(pieces) {
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.REQUEST, {}, LIMIT + 1, 0);
  parser[HTTPParser.kOnHeaders | 0] = () => undefined;
  parser[HTTPParser.kOnHeadersComplete | 0] = (_major, _minor, _fields, method) => (methods[method] ? 0 : 1);
  parser[HTTPParser.kOnBody | 0] = () => undefined;
  parser[HTTPParser.kOnMessageComplete | 0] = () => undefined;
  return () => {
    for (const piece of pieces) if (parser.execute(piece) instanceof Error) throw new Error('refused');
  };
}

function measure(name, runs, run) {
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let index = 0; index < runs; index++) run();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / runs);
  }
  console.log(name.padEnd(44), `${least.toFixed(least < 100 ? 2 : 0)} µs`);
}

function halves(bytes) {
  return [bytes.subarray(0, 100), bytes.subarray(100)];
}

const pieces = Array.from({ length: 2000 }, (_, index) => {
  const size = Math.ceil(LARGE.length / 2000);
  return LARGE.subarray(index * size, (index + 1) * size);
});

for (const [what, bytes] of [
  ['GET, 6 fields', [GET]],
  ['GET, in two reads', halves(GET)],
  ['POST of 1 KiB', [POST]],
  ['POST of 1 KiB, chunked', [CHUNKED]],
]) {
  measure(`${what}: RequestReader`, 20_000, ours(bytes));
  measure(`${what}: llhttp, no objects`, 20_000, llhttp(bytes));
}
measure('1 MiB of fields in 2,000 reads: RequestReader', 5, ours(pieces));
measure('1 MiB of fields in 2,000 reads: llhttp', 5, llhttp(pieces));
