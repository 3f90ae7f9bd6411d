import { expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../../support/program.js';

const LEDGER = 'apps/ledger-api/bundle/lib';

it.each([
  ['ledger-api', `${LEDGER}/ledger-api.js`, ['--bogus']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['bogus']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['export']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['callers', 'revoke', 'a', '--bogus']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['callers', 'add', 'Not A Name']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['callers', 'add', 'ana', '--role', 'boss']],
  ['ledger-tool', `${LEDGER}/ledger-tool.js`, ['verify', '--policy', 'none', '--checkpoint', 'none']],
  ['ledger-identity', `${LEDGER}/ledger-identity.js`, ['enroll']],
  ['ledger-identity', `${LEDGER}/ledger-identity.js`, ['enroll', '--id', 'a', '--cert', 'a.pem']],
  ['ledger-identity', `${LEDGER}/ledger-identity.js`, ['list']],
  ['fabric', 'src/fabric.js', ['up', '--first-port', '99999']],
  ['chaincode', 'src/chaincode.js', ['serve']],
  ['chaincode', 'src/chaincode.js', ['package', '--type', 'x']],
  ['chaincode', 'src/chaincode.js', ['package', '--label', 'a b']],
  ['proxy-client', 'apps/proxy-client/bundle/lib/proxy-client.js', ['--bogus']],
  ['npm start', 'src/main.js', ['--bogus']],
  ['generate', 'src/generate.js', ['bogus']],
])('%s (%s) reports %j in a line with its name, exits with 2 and writes nothing', async (name, main, args) => {
  const cwd = await mkdtemp(join(tmpdir(), 'command-lines-'));
  try {
    const program = new Program({ main, args, cwd });
    expect(await program.ended).toMatchObject({ code: 2 });
    expect(program.stderr).toMatch(new RegExp(`^${name}: [^\\n]+\\n$`));
    expect([program.stdout, await readdir(cwd)]).toEqual(['', []]);
  } finally {
    await rm(cwd, { recursive: true });
  }
});
