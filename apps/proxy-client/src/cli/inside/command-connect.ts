// The ProxyCommand of ssh in the sandbox: `node command-connect.js --proxy URL HOST PORT`. It is a program of its own, because the
// sandbox contains no other files of proxy-client.
import { ConnectError, openTunnel, relayStandardStreams } from './connect.js';

// This program has no other command line.
// eslint-disable-next-line no-restricted-properties
const [, proxy = '', host = '', port = ''] = process.argv.slice(2);
try {
  await relayStandardStreams(await openTunnel({ host, port: Number(port), proxy }));
} catch (error) {
  if (!(error instanceof ConnectError)) throw error;
  process.stderr.write(`proxy-client: ${error.message}\n`);
  process.exitCode = 1;
}
