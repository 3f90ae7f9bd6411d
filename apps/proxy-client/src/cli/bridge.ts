// Runs a command inside the sandbox, and connects it with the proxy outside. It is a separate program: `node command-bridge.js PROXY
// COMMAND…`, where PROXY is the URL of the proxy or the path of its unix socket. It imports nothing but Node, because the sandbox
// contains little else.
//
//     COMMAND ── TCP, 127.0.0.1 ──▶ this program ── unix socket ──▶ proxy, outside the network namespace
//
// File descriptor 3 is connected with the parent: a line is the name of a signal for the command, and the end means that the parent has
// exited. One line goes back: how the command ended (CommandEnd).
import { spawn } from 'node:child_process';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';

/** How a command ended: by its exit code, by a signal, or it could not be started (an error code of Node). */
export type CommandEnd = { readonly code: number } | { readonly signal: NodeJS.Signals } | { readonly fault: string };

const PARENT_FD = 3;
/** What the command reaches on its own loopback does not go through the proxy. */
const LOCAL = 'localhost,127.0.0.1,::1';

/** Listens on the loopback of the sandbox; returns the URL. */
async function bridgeTo(path: string): Promise<string> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const proxy = connect({ path, allowHalfOpen: true });
    // An error of one side resets the other, so that no peer takes a truncated transfer for a complete one.
    client.pipe(proxy).pipe(client);
    client.on('error', () => void proxy.destroy());
    client.on('close', () => void proxy.destroy());
    proxy.on('error', () => void client.resetAndDestroy());
    proxy.on('close', () => {
      client.destroySoon();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns the variables by which programs find a proxy. Node's own clients need the last one. */
function proxyVariables(url: string): Readonly<Record<string, string>> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  const both = (name: string): readonly string[] => [name, name.toUpperCase()];
  return {
    ...Object.fromEntries(names.flatMap(both).map((name) => [name, url])),
    ...Object.fromEntries(both('no_proxy').map((name) => [name, LOCAL])),
    NODE_USE_ENV_PROXY: '1',
  };
}

async function run(proxy: string, [file = '', ...args]: readonly string[]): Promise<void> {
  const url = proxy.startsWith('/') ? await bridgeTo(proxy) : proxy;
  const parent = new Socket({ fd: PARENT_FD });
  // A separate process group, so that signals reach all of its processes, and none is left running.
  const child = spawn(file, args, {
    stdio: 'inherit',
    detached: true,
    // The command inherits the environment of proxy-client.
    // eslint-disable-next-line no-restricted-properties
    env: { ...process.env, ...proxyVariables(url) },
  });
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has exited.
    }
  };
  const finish = (end: CommandEnd): void => {
    signal('SIGKILL');
    parent.end(`${JSON.stringify(end)}\n`, () => process.exit());
  };
  child.on('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    finish({ fault: code });
  });
  child.on('exit', (code, by) => {
    finish(by === null ? { code: code ?? 0 } : { signal: by });
  });
  const abandon = (): void => {
    signal('SIGKILL');
    process.exit();
  };
  parent.setEncoding('utf8');
  parent.on('data', (names: string) => {
    for (const name of names.split('\n')) if (name !== '') signal(name as NodeJS.Signals);
  });
  parent.on('end', abandon).on('error', abandon);
}

// This program has no other command line.
// eslint-disable-next-line no-restricted-properties
const [proxy = '', ...command] = process.argv.slice(2);
await run(proxy, command);
