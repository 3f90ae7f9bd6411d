import { Client, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { connect } from 'node:http2';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bytesField, integerField, join as joined, stringField } from '#fabric-codec/messages';
import type { Chaincode, ChaincodeCall, ChaincodeHost, Simulator } from './chaincode.port.js';
import { socketPrefix } from './chaincode-process.js';
import { openChaincodeHost } from './open-chaincode-host.js';
import { RegisterServer } from './register-server.js';

const OWN = { name: 'basic' } as Chaincode;
const CALL: ChaincodeCall = {
  channel: 'mychannel',
  transactionId: 'a',
  timestamp: 0,
  arguments: [],
  creator: new Uint8Array(),
  transient: new Map(),
  signedProposal: new Uint8Array(),
};

describe('a chaincode that is started', () => {
  let root: string;
  let host: ChaincodeHost;
  const logged: string[] = [];
  const dataDir = (): string => `${root}-data`;
  const logger = {
    info: (_: object, message: string) => logged.push(message),
    warn: (_: object, message: string) => logged.push(message),
    error: (_: object, message: string) => logged.push(message),
  };
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'started-chaincode-')));
    logged.length = 0;
  });
  afterEach(async () => {
    await host.close();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(socketPrefix(dataDir())))).toEqual([]);
    rmSync(root, { recursive: true });
  });
  const start = async (script: string) => {
    writeFileSync(
      join(root, 'chaincode.json'),
      JSON.stringify({ command: ['/bin/sh', 'run.sh', '$CORE_PEER_ADDRESS'] }),
    );
    writeFileSync(join(root, 'run.sh'), script);
    const sources = [{ name: 'cars', source: root }];
    host = openChaincodeHost({
      ...{ mspId: 'Org1MSP', dataDir: dataDir(), logger },
      chaincodes: { sources, timeout: 5000, checksDeterminism: false, isWatched: true, hasQueries: false },
    });
    await host.start(OWN);
  };
  const call = () => host.get('cars')!.invoke(CALL, { reset: () => undefined } as Simulator);
  const failed = async (): Promise<object> => {
    const [result] = await Promise.allSettled([call()]);
    return (result as PromiseRejectedResult).reason as object;
  };
  const until = async (text: string): Promise<void> => {
    while (!logged.some((line) => line.includes(text))) await new Promise((resolve) => setImmediate(resolve));
  };

  it('and exits is started three times, its last lines are in the answer, and an edit starts it again', async () => {
    await start('echo "one\ntwo"; echo "no module notes" >&2; exit 7');
    await until('could not be started 3 times');
    expect(logged.filter((line) => line.includes('cannot be started'))).toEqual(
      Array(3).fill('The chaincode "cars" cannot be started: its process ended with exit code 7.'),
    );
    expect(await failed()).toMatchObject({
      code: 'LEDGER.UNAVAILABLE',
      startFailure: {
        reason: 'its process ended with exit code 7',
        output: expect.stringContaining('no module notes'),
      },
    });
    logged.length = 0;
    writeFileSync(join(root, 'run.sh'), 'echo "edited"; exit 8');
    await until('exit code 8');
  });

  it('defect: the answer contained the stack of an error instead of its message', async () => {
    const frames = Array.from({ length: 12 }, (_, line) => `    at Module._compile (node:internal/modules:${line}:1)`);
    await start(`cat <<'END'\nSyntaxError: Unexpected token\n${frames.join('\n')}\nEND\nexit 1`);
    await until('could not be started 3 times');
    expect(await failed()).toMatchObject({ startFailure: { output: 'SyntaxError: Unexpected token' } });
  });

  it('defect: a call that caused another start waited for ever', async () => {
    await start('exit 7');
    await until('could not be started 3 times');
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 60_000);
    expect(await failed()).toMatchObject({ code: 'LEDGER.UNAVAILABLE', startFailure: { output: '' } });
    clock.mockRestore();
    await host.close();
    expect(await failed()).toMatchObject({ code: 'LEDGER.UNAVAILABLE', message: expect.stringContaining('is closed') });
  });
});

describe('the server for chaincodes that dial their peer', () => {
  const register = (id: string) => joined([integerField(1, 1), bytesField(3, stringField(2, id))]);
  const same = (bytes: Buffer): Buffer => bytes;

  /** Returns the path of the socket, as a chaincode finds it that runs in its directory. */
  const socketOf = ({ directory, addresses }: RegisterServer): string =>
    resolve(directory, addresses.unix.replace('unix:', ''));

  it('defect: reset the streams of gRPC for Go before 1.34, which sends its address as :authority', async () => {
    const server = await RegisterServer.open(join(tmpdir(), 'register-server'));
    const session = connect('http://localhost', { createConnection: () => createConnection(socketOf(server)) });
    try {
      const stream = session.request({
        ...{ ':method': 'POST', ':path': '/protos.ChaincodeSupport/Register', ':authority': server.addresses.unix },
        ...{ 'content-type': 'application/grpc', te: 'trailers' },
      });
      const [headers] = (await once(stream, 'response')) as [Readonly<Record<string, unknown>>];
      expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc+proto' });
    } finally {
      session.destroy();
      server.close();
    }
  });

  it('accepts an expected id once, on both addresses, and ends every other stream', async () => {
    const server = await RegisterServer.open(join(tmpdir(), 'register-server'));
    const accepted: string[] = [];
    const clients: Client[] = [];
    const dial = (address: string, first: Buffer) => {
      const client = new Client(address, credentials.createInsecure());
      clients.push(client);
      const stream = client.makeBidiStreamRequest('/protos.ChaincodeSupport/Register', same, same);
      stream.on('error', () => undefined);
      stream.resume();
      stream.write(first);
      return stream;
    };
    try {
      for (const address of [`unix:${socketOf(server)}`, server.addresses.tcp]) {
        const arrived = new Promise<void>((resolve) => {
          server.expect('cars:1', (stream, bytes) => {
            accepted.push(bytes.toString('hex'));
            stream.end();
            resolve();
          });
        });
        const other = dial(address, register('cars:2'));
        await once(other, 'end');
        dial(address, register('cars:1'));
        await arrived;
        await once(dial(address, register('cars:1')), 'end');
        await once(dial(address, Buffer.from([0xff])), 'end');
        await once(dial(address, joined([integerField(1, 18)])), 'end');
      }
      const unexpect = server.expect('cars:3', () => accepted.push('late'));
      unexpect();
      await once(dial(server.addresses.tcp, register('cars:3')), 'end');
      expect(accepted).toEqual(Array(2).fill(register('cars:1').toString('hex')));
    } finally {
      for (const client of clients) client.close();
      server.close();
    }
  });
});
