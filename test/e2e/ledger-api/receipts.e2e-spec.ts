import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { common, msp, peer } from '@hyperledger/fabric-protos';
import { LedgerApi, type Answer } from '../../support/ledger-api.js';
import { hasOpenssl, opensslVerifies } from '../../support/openssl.js';
import { ThrowawayAuthority } from '../../support/throwaway-certificates.js';

interface Receipt {
  readonly transactionId: string;
  readonly blockNumber: number;
  readonly blockHash: string;
  readonly block: string;
  readonly attestation: { readonly statement: string; readonly endorser: string; readonly signature: string };
}

/** Another machine: a directory with the root's certificate, and nothing of the ledger. */
let elsewhere: string;
let receipt: Receipt;
let authorities: Answer;
let noAuthorities: Answer;
let unheardOf: Answer;

async function verify(file: string, ...args: string[]) {
  const main = resolve('dist/apps/ledger-api/bundle/lib/ledger-tool.js');
  const child = spawn(process.execPath, [main, 'verify-receipt', file, ...args], {
    cwd: elsewhere,
    // What other programs would refuse is nothing to a tool that does not need it.
    env: { PATH: process.env['PATH'], LEDGER_API_PORT: 'none' },
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

const put = (name: string, content: string | object) => {
  writeFileSync(join(elsewhere, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
};
const bytesOf = (base64: string) => Buffer.from(base64, 'base64');
const ROOT = ['--root', 'Org1MSP=ca.pem'];

beforeAll(async () => {
  elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'));
  const api = await LedgerApi.start();
  try {
    const { headers } = await api.create('car-7');
    const transactionId = String(headers['x-transaction-id']);
    const answer = await api.api('GET', `/transactions/${transactionId.toUpperCase()}/receipt`);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="receipt-${transactionId}.json"`,
    });
    put('receipt.json', answer.text);
    receipt = answer.json as Receipt;
    expect(receipt).toMatchObject({ format: 'ledger-receipt', version: 1, transactionId, validationCode: 'VALID' });
    expect(await api.api('HEAD', `/transactions/${transactionId}/receipt`)).toMatchObject({ status: 200, text: '' });
    expect(await api.api('GET', `/transactions/${'0'.repeat(64)}/receipt`)).toMatchObject({ status: 404 });
    expect(await api.api('GET', '/transactions/nothing/receipt')).toMatchObject({ status: 400 });
    copyFileSync(join(api.dataDir, 'identities', 'ca.pem'), join(elsewhere, 'ca.pem'));
    authorities = await api.api('GET', '/identities/Org1MSP/ca');
    noAuthorities = await api.api('GET', '/identities/Org2MSP/ca');
    unheardOf = await api.api('GET', '/identities/%2e%2e%2f"%0d%0a/ca');
  } finally {
    await api.stop();
  }
});
afterAll(() => {
  rmSync(elsewhere, { recursive: true });
});

describe('GET /identities/{mspId}/ca', () => {
  it("returns the certificate of the organization's authority, with which receipts verify", async () => {
    expect(authorities.status).toBe(200);
    expect(authorities.headers).toMatchObject({
      'content-type': 'application/x-pem-file',
      'content-disposition': 'attachment; filename="Org1MSP-ca.pem"',
    });
    expect(authorities.text.trim()).toBe(readFileSync(join(elsewhere, 'ca.pem'), 'utf8').trim());
    put('downloaded.pem', authorities.text);
    expect(await verify('receipt.json', '--root', 'Org1MSP=downloaded.pem')).toMatchObject({ code: 0 });
  });

  it('is a 404 for an organization that the channel does not have', () => {
    for (const { status, headers } of [noAuthorities, unheardOf]) {
      expect([status, headers['x-error-code']]).toEqual([404, 'API.NOT_FOUND']);
    }
  });
});

describe('npm run ledger -- verify-receipt', () => {
  it('checks a receipt without the ledger, and reports what it proves and what not', async () => {
    const { code, stdout, stderr } = await verify('receipt.json', ...ROOT);
    expect([code, stderr]).toEqual([0, '']);
    const { transactionId, blockHash } = receipt;
    expect(stdout.split('\n').slice(0, 10)).toEqual([
      'ok     FORMAT: a receipt of version 1',
      `ok     BLOCK: block 1 has the hash ${blockHash}, which covers its 1 transactions`,
      'ok     BLOCK_SIGNATURE: signed by orderer.org1.example.com (Org1MSP)',
      'ok     TRANSACTION: a call of "basic" at position 0',
      'ok     CREATOR: signed by User1@org1.example.com (Org1MSP)',
      'ok     ENDORSEMENT: signed by peer0.org1.example.com (Org1MSP)',
      'ok     VALIDATION_CODE: VALID, signed by peer0.org1.example.com (Org1MSP)',
      '-      EXPECTED_HEAD: no hash from elsewhere was given',
      `PROVEN, if you trust the roots: transaction ${transactionId} of channel mychannel is VALID.`,
      expect.stringMatching(
        /^ {2}It is CreateAsset\("car-7", "blue", "5", "Tomoko", "300"\) of basic, by User1@org1\.example\.com at \S+, in block 1 at position 0\.$/,
      ),
    ]);
    expect(stdout).toContain(
      '\nNOT PROVEN:\n  that the block is part of the chain that you know: give --expect HEIGHT:HASH\n',
    );
  });

  it('compares it with a known head, and prints everything as JSON', async () => {
    const { code, stdout } = await verify('receipt.json', ...ROOT, '--expect', `2:${receipt.blockHash}`, '--json');
    expect(code).toBe(0);
    const report = JSON.parse(stdout) as { steps: { result: string }[] };
    expect(report).toMatchObject({ verdict: 'valid', transaction: { transactionId: receipt.transactionId } });
    expect(report.steps.map(({ result }) => result)).toEqual(Array(8).fill('passed'));
    const other = await verify('receipt.json', ...ROOT, '--expect', `2:${'ab'.repeat(32)}`);
    expect(other).toMatchObject({ code: 1, stderr: '' });
    expect(other.stdout).toMatch(/\nFAILED EXPECTED_HEAD: .*\nREFUSED: the receipt proves nothing\.\n$/);
  });

  it('refuses what is no receipt, in one line', async () => {
    const { attestation } = receipt;
    const changed = { ...attestation, statement: attestation.statement.replace('VALID', 'BAD_PAYLOAD') };
    const files = [
      [put('changed.json', { ...receipt, attestation: changed }), 'VALIDATION_CODE: '],
      [put('escape.json', { ...receipt, '\u001b[2J': 1 }), 'FORMAT: it has an unknown member: "\\u001b[2J"'],
      [put('empty.json', ''), 'FORMAT: it is not JSON, or truncated'],
    ] as const;
    for (const [file, why] of files) {
      const { code, stdout, stderr } = await verify(file, ...ROOT);
      expect([file, code, stderr]).toEqual([file, 1, '']);
      expect(stdout).toContain(`FAILED ${why}`);
      expect(stdout).not.toContain('\u001b');
    }
  });

  it('refuses a root of another organization', async () => {
    const stranger = await ThrowawayAuthority.create('ca.org1.example.com');
    put('other.pem', stranger.root.certificate);
    const { code, stdout, stderr } = await verify('receipt.json', '--root', 'Org1MSP=other.pem');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain(
      'FAILED BLOCK_SIGNATURE: orderer.org1.example.com (Org1MSP): the certificate does not chain',
    );
    put('leaf.pem', (await stranger.issue('leaf')).certificate);
    const leaf = await verify('receipt.json', '--root', 'Org1MSP=leaf.pem');
    expect(leaf.code).toBe(2);
    expect(leaf.stderr).toContain('leaf.pem: a certificate in it is not that of a certificate authority.');
  });

  it('refuses an invalid command line and unreadable files in one line', async () => {
    put('huge.json', '');
    truncateSync(join(elsewhere, 'huge.json'), 2 ** 28 + 1);
    const cases = [
      [['receipt.json'], 2, /required option '--root <mspId=file>' not specified/],
      [['receipt.json', '--root', 'ca.pem'], 2, /Use MSPID=FILE, such as Org1MSP=ca\.pem/],
      [['receipt.json', '--root', 'Org1MSP=no.pem'], 2, /no\.pem: no such file or directory \(ENOENT\)/],
      [['receipt.json', '--root', 'Org1MSP=receipt.json'], 2, /it contains no certificate in PEM form/],
      [['receipt.json', ...ROOT, '--expect', '3'], 2, /"3" is not HEIGHT:HASH/],
      [['none.json', ...ROOT], 1, /^ledger-tool: none\.json cannot be read: no such file/],
      [['huge.json', ...ROOT], 1, /^ledger-tool: huge\.json is not a receipt: it has more than 256 MiB\.\n$/],
    ] as const;
    const results = await Promise.all(cases.map(([[file, ...args]]) => verify(file, ...args)));
    for (const [index, [args, code, message]] of cases.entries()) {
      expect([args, results[index]]).toMatchObject([args, { code, stdout: '' }]);
      expect(results[index]!.stderr).toMatch(message);
    }
  });
});

(hasOpenssl ? describe : describe.skip)('OpenSSL and the messages of Fabric', () => {
  const certificateOf = (identity: Uint8Array) =>
    Buffer.from(msp.SerializedIdentity.deserializeBinary(identity).getIdBytes_asU8()).toString();

  it('agree on the peer’s statement', () => {
    const { statement, endorser, signature } = receipt.attestation;
    const certificate = certificateOf(bytesOf(endorser));
    const content = Buffer.concat([Buffer.from(statement), bytesOf(endorser)]);
    expect(opensslVerifies({ certificate, content, signature: bytesOf(signature) })).toBe(true);
    const other = Buffer.concat([Buffer.from(statement.replace('VALID', 'INVALID')), bytesOf(endorser)]);
    expect(opensslVerifies({ certificate, content: other, signature: bytesOf(signature) })).toBe(false);
  });

  it('agree on creator and endorser', () => {
    const block = common.Block.deserializeBinary(bytesOf(receipt.block));
    const envelope = common.Envelope.deserializeBinary(block.getData()!.getDataList_asU8()[0]!);
    const payload = common.Payload.deserializeBinary(envelope.getPayload_asU8());
    const header = common.SignatureHeader.deserializeBinary(payload.getHeader()!.getSignatureHeader_asU8());
    const creator = certificateOf(header.getCreator_asU8());
    const signature = envelope.getSignature_asU8();
    expect(opensslVerifies({ certificate: creator, content: envelope.getPayload_asU8(), signature })).toBe(true);
    const [action] = peer.Transaction.deserializeBinary(payload.getData_asU8()).getActionsList();
    const endorsed = peer.ChaincodeActionPayload.deserializeBinary(action!.getPayload_asU8()).getAction()!;
    const [endorsement] = endorsed.getEndorsementsList();
    const endorser = endorsement!.getEndorser_asU8();
    const content = Buffer.concat([endorsed.getProposalResponsePayload_asU8(), endorser]);
    const signed = { content, signature: endorsement!.getSignature_asU8() };
    expect(opensslVerifies({ certificate: certificateOf(endorser), ...signed })).toBe(true);
  });
});
