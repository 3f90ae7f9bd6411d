// A SOCKS5 server as a separate program, which a test can kill and restart on the same port: `node socks-server.mjs PORT`.
// It supports CONNECT to IPv4 addresses and names, without authentication.
import { connect, createServer } from 'node:net';

const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  let received = Buffer.alloc(0);
  const read = (chunk) => {
    received = Buffer.concat([received, chunk]);
    const request = parse(received);
    if (request === undefined) return;
    client.off('data', read).pause();
    const target = connect({ ...request.target, allowHalfOpen: true, noDelay: true });
    target.once('connect', () => {
      client.write(Buffer.from('05000001000000000000', 'hex'));
      target.write(received.subarray(request.end));
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  };
  client.on('error', () => undefined).on('data', read);
  client.once('data', () => client.write(Buffer.of(5, 0)));
});

/** Parses greeting and request; returns undefined while bytes are missing. */
function parse(bytes) {
  const start = 2 + (bytes[1] ?? 0);
  const isName = bytes[start + 3] === 3;
  const from = start + (isName ? 5 : 4);
  const to = from + (isName ? bytes[start + 4] : 4);
  if (bytes.length < start + 5 || bytes.length < to + 2) return undefined;
  const host = isName ? bytes.toString('latin1', from, to) : bytes.subarray(from, to).join('.');
  return { target: { host, port: bytes.readUInt16BE(to) }, end: to + 2 };
}

server.listen(Number(process.argv[2]), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
