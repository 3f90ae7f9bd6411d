// A SOCKS5 server as a program of its own, which a test can kill and start again on its port: `node socks-server.mjs PORT`.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const built = pathToFileURL(join(process.cwd(), 'dist/test/socks5-protocol.js')).href;
const { EmbeddedSocks5Server } = await import(built);
const server = new EmbeddedSocks5Server({ port: Number(process.argv[2]) });
await server.listen();
process.stdout.write(`${server.address.port}\n`);
