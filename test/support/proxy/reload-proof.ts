import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { once } from 'node:events';
import { granting, ScriptedSocks5Server } from '#socks5-protocol/testing';
import { EchoingTunnels } from './echoing-tunnels.js';
import { LogLines } from './log-lines.js';
import { ProxyProgram } from './proxy-program.js';

export interface ReloadProof {
  readonly tunnels: number;
  readonly reloads: number;
}

/** What a reload has shown. */
export interface ReloadOutcome {
  readonly reloaded: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

const DONE = 'configuration reloaded';
const REFUSED = 'configuration not reloaded: the previous one stays in force';

/**
 * Reloads again and again while tunnels move bytes: with other rules, upstreams, users and listeners, and with files that
 * cannot be taken between them.
 */
export async function reloadUnderTunnels({ tunnels: count, reloads }: ReloadProof): Promise<ReloadOutcome> {
  await using one = await new ScriptedSocks5Server(() => granting('echo')).listen();
  await using other = await new ScriptedSocks5Server(() => granting('echo')).listen();
  await using taken = await TakenPort.take();
  const files = [
    { upstreams: { a: { host: '127.0.0.1', port: other.port } }, rules: [{ hosts: ['*.example'], to: 'reject' }] },
    'listeners: [',
    { upstreams: { a: { host: '127.0.0.1', port: one.port, warm: 2 } }, users: [{ name: 'ci', password: 'secret' }] },
    { upstreams: { b: 'embedded' }, rules: [{ to: 'nowhere' }] },
    { upstreams: { b: { host: '127.0.0.1', port: other.port } }, more: [{ port: 0, mode: 'socks5' }] },
    { upstreams: { b: { host: '127.0.0.1', port: other.port } }, more: [{ port: taken.port }] },
    { upstreams: { a: { host: '127.0.0.1', port: one.port }, g: { of: ['a', 'direct'] } }, rules: [{ to: 'g' }] },
  ];
  await using proxy = new ProxyProgram({
    config: asText({ upstreams: { a: { host: '127.0.0.1', port: one.port } } }),
    env: { PROXY_ADMIN_PORT: 'off' },
  });
  const { proxy: url = '' } = await proxy.program.ready();
  const log = new LogLines(proxy.program);
  const tunnels = await EchoingTunnels.open(url, count);
  let refused = 0;
  for (let index = 0; index < reloads; index += 1) {
    const file = files[index % files.length]!;
    const isGood = typeof file === 'object' && file.rules?.[0]?.to !== 'nowhere' && file.more?.[0]?.port !== taken.port;
    writeFileSync(proxy.configFile, asText(file));
    proxy.program.process.kill('SIGHUP');
    await log.next(isGood ? DONE : REFUSED);
    refused += isGood ? 0 : 1;
    await tunnels.moved();
  }
  await tunnels.finish();
  return { reloaded: reloads - refused, refused, faults: tunnels.faults };
}

interface FileParts {
  readonly upstreams: object;
  readonly rules?: readonly { readonly to: string }[];
  readonly users?: readonly object[];
  readonly more?: readonly { readonly port: number }[];
}

function asText(file: FileParts | string): string {
  if (typeof file === 'string') return file;
  const { more = [], users, ...others } = file;
  return JSON.stringify({ ...others, listeners: [{ port: 0, ...(users && { users }) }, ...more] });
}

/** A port that somebody else listens on. */
class TakenPort implements AsyncDisposable {
  readonly #server: Server;
  readonly port: number;

  private constructor(server: Server) {
    this.#server = server;
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  static async take(): Promise<TakenPort> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TakenPort(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    await once(this.#server, 'close');
  }
}
