import { randomInt, randomUUID } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { common, msp, peer } from '@hyperledger/fabric-protos';
import { decodeBlock } from '#fabric-codec';
import type { Ledger } from '#ledger-gateway';
import { readOpensslCertificate, readRoots, TrustedRoots, verifyReceipt } from '#receipts';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { hasOpenssl, opensslVerifies } from '../support/openssl.js';

const release = fabricRelease();
const UP_MS = 120_000;
/** Each byte of some 10,000 is changed, and the signatures checked again. */
const ALL_BYTES_MS = 900_000;
const MVCC_READ_CONFLICT = 11;

if ('missing' in release) {
  describe(`receipts of a real Fabric network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
}

('missing' in release ? describe.skip : describe)('receipts of a real Fabric network', () => {
  let network: FabricNetwork;
  let roots: TrustedRoots;

  beforeAll(async () => {
    if ('missing' in release) return;
    network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
    const organisations = join(network.directory, 'organizations');
    const root = (mspId: string, domain: string) => {
      const [file = ''] = globSync(join(organisations, '*', domain, 'ca', '*-cert.pem'));
      return readRoots(mspId, readFileSync(file, 'utf8'), readOpensslCertificate);
    };
    const trusted = [
      ...root('Org1MSP', 'org1.example.com'),
      ...root('Org2MSP', 'org2.example.com'),
      ...root('OrdererMSP', 'example.com'),
    ];
    roots = new TrustedRoots(trusted, readOpensslCertificate);
  }, UP_MS);
  afterAll(async () => {
    await network.down();
  }, UP_MS);

  const create = (id: string) => ({ function: 'CreateAsset', arguments: [id, 'blue', '5', 'Tomoko', '300'] });

  describe.each(FABRIC_DRIVERS)('through $name', ({ open }) => {
    let channel: Ledger;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const ledger = await open(network);
      channel = ledger;
      close = () => ledger.close();
    }, UP_MS);
    afterAll(() => close());

    const receiptOf = async (transactionId: string): Promise<string> => (await channel.receipt!(transactionId)) ?? '';

    it(
      'prove a transaction, and fail with any byte of them changed',
      async () => {
        const { transactionId } = await channel.submit(create(randomUUID()));
        const text = await receiptOf(transactionId);
        const report = await verifyReceipt(text, { roots });
        expect(report.steps.filter(({ result }) => result === 'failed')).toEqual([]);
        expect(report).toMatchObject({ verdict: 'valid', transaction: { transactionId, function: 'CreateAsset' } });
        const passed: number[] = [];
        const bytes = Buffer.from(text);
        for (let offset = 0; offset < bytes.length; offset++) {
          const changed = Buffer.from(bytes);
          changed[offset] = (changed[offset] ?? 0) ^ (1 << randomInt(7));
          if ((await verifyReceipt(changed.toString(), { roots })).verdict !== 'refused') passed.push(offset);
        }
        expect(passed).toEqual([]);
      },
      ALL_BYTES_MS,
    );

    it(
      'state that a transaction with a conflict changed nothing',
      async () => {
        const id = randomUUID();
        await channel.submit(create(id));
        const { height } = await channel.chainInfo();
        const owners = Array.from({ length: 8 }, (_, index) => `owner-${index}`);
        await Promise.allSettled(
          owners.map((owner) => channel.submit({ function: 'TransferAsset', arguments: [id, owner] })),
        );
        const lost = await lostSince(channel, height);
        const report = await verifyReceipt(await receiptOf(lost), { roots });
        expect(report).toMatchObject({ verdict: 'not-valid', transaction: { validationCode: 'MVCC_READ_CONFLICT' } });
      },
      UP_MS,
    );

    (hasOpenssl ? it : it.skip)(
      'hold an endorsement that OpenSSL verifies',
      async () => {
        const { transactionId } = await channel.submit(create(randomUUID()));
        const { attestation } = JSON.parse(await receiptOf(transactionId)) as { attestation: { payload: string } };
        const payload = common.Payload.deserializeBinary(Buffer.from(attestation.payload, 'base64'));
        const [action] = peer.Transaction.deserializeBinary(payload.getData_asU8()).getActionsList();
        const endorsed = peer.ChaincodeActionPayload.deserializeBinary(action!.getPayload_asU8()).getAction()!;
        for (const endorsement of endorsed.getEndorsementsList()) {
          const endorser = endorsement.getEndorser_asU8();
          const identity = msp.SerializedIdentity.deserializeBinary(endorser);
          const certificate = Buffer.from(identity.getIdBytes_asU8()).toString();
          const content = Buffer.concat([endorsed.getProposalResponsePayload_asU8(), endorser]);
          expect(opensslVerifies({ certificate, content, signature: endorsement.getSignature_asU8() })).toBe(true);
        }
      },
      UP_MS,
    );
  });
});

/** The id of a transaction in a block from there on that lost a race. */
async function lostSince(channel: Ledger, start: number): Promise<string> {
  for (let number = start; ; number++) {
    const block = await channel.blockByNumber(number);
    if (block === undefined) throw new Error('no transaction lost a race');
    const { envelopes, validationCodes } = decodeBlock(block.bytes);
    const lost = envelopes[validationCodes.indexOf(MVCC_READ_CONFLICT)];
    if (lost === undefined) continue;
    const payload = common.Payload.deserializeBinary(common.Envelope.deserializeBinary(lost).getPayload_asU8());
    return common.ChannelHeader.deserializeBinary(payload.getHeader()!.getChannelHeader_asU8()).getTxId();
  }
}
