import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { LedgerApi, type Answer } from '../support/ledger-api.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';
import { until } from '../support/until.js';

const release = fabricRelease();
const UP_MS = 240_000;
const FIELDS = { color: 'blue', size: '5', owner: 'Ana', appraisedValue: '300' };

interface Transaction {
  readonly transactionId: string;
  readonly function: string;
  readonly type: string;
  readonly creatorMspId: string;
}
interface Block {
  readonly number: number;
  readonly hash: string;
  readonly previousHash: string;
  readonly dataHash: string;
  readonly transactions: readonly Transaction[];
}
/** The compared parts of a block as configtxlator decodes it. */
interface Decoded {
  readonly header: { readonly number?: string; readonly previous_hash: string | null; readonly data_hash: string };
  readonly data: {
    readonly data: readonly {
      readonly payload: {
        readonly header: {
          readonly channel_header: { readonly tx_id: string; readonly type: number };
          readonly signature_header: { readonly creator: { readonly mspid: string } | null };
        };
        readonly data: {
          readonly actions?: readonly {
            readonly payload: {
              readonly chaincode_proposal_payload: {
                readonly input: { readonly chaincode_spec: { readonly input: { readonly args: readonly string[] } } };
              };
            };
          }[];
        };
      };
    }[];
  };
}

if ('missing' in release) {
  describe(`pages of a real Fabric's chain (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  describe("pages of a real Fabric's chain", () => {
    const { FABRIC_BIN: bin } = release.env;
    const PATH = [bin, process.env['PATH']].filter(Boolean).join(delimiter);
    const directory = mkdtempSync(join(tmpdir(), 'chain-pages-'));
    let network: FabricNetwork;
    beforeAll(async () => {
      network = await FabricNetwork.up(release.env, '--batch-timeout', '200ms');
    }, UP_MS);
    afterAll(async () => {
      await network.down();
      rmSync(directory, { recursive: true });
    }, UP_MS);

    const data = (answer: Answer): unknown => (answer.json as { data: unknown }).data;
    const decode = (bytes: Uint8Array): Decoded => {
      const file = join(directory, 'block');
      writeFileSync(file, bytes);
      // Not to its standard output, which it opens by name and has none by that name here.
      const output = `${file}.json`;
      execFileSync('configtxlator', ['proto_decode', '--type', 'common.Block', '--input', file, '--output', output], {
        env: { PATH },
      });
      return JSON.parse(readFileSync(output, 'utf8')) as Decoded;
    };
    const bytesOf = async (api: LedgerApi, number: number): Promise<Buffer> => {
      const headers = { accept: 'application/octet-stream' };
      return Buffer.from(await (await fetch(`${api.origin}/api/v1/blocks/${number}`, { headers })).arrayBuffer());
    };
    const hex = (base64: string | null) => Buffer.from(base64 ?? '', 'base64').toString('hex');

    /** Compares a block with what Fabric's own tool makes of its bytes. */
    const compare = async (api: LedgerApi, block: Block): Promise<void> => {
      const { header, data: envelopes } = decode(await bytesOf(api, block.number));
      expect([Number(header.number ?? 0), hex(header.previous_hash), hex(header.data_hash)]).toEqual([
        block.number,
        block.previousHash,
        block.dataHash,
      ]);
      const shown = envelopes.data.map(({ payload }) => {
        const [action] = payload.data.actions ?? [];
        const args = action?.payload.chaincode_proposal_payload.input.chaincode_spec.input.args ?? [];
        return {
          transactionId: payload.header.channel_header.tx_id,
          function: Buffer.from(args[0] ?? '', 'base64').toString(),
          creatorMspId: payload.header.signature_header.creator?.mspid ?? '',
        };
      });
      expect(block.transactions).toMatchObject(shown);
    };

    it(
      "match configtxlator's output for the same bytes, for every kind of transaction, and histories list each change",
      async () => {
        const api = await LedgerApi.start({ ...network.env, LEDGER_DRIVER: 'fabric-gateway' });
        try {
          await until(async () => (await api.create('car', FIELDS)).status === 201, 60_000);
          for (const newOwner of ['Ben', 'Cyd']) {
            expect((await api.api('PUT', '/assets/car/transfer', { body: { newOwner } })).status).toBe(200);
          }
          const blocks = data(await api.api('GET', '/blocks?limit=200')) as Block[];
          const kinds = new Set(blocks.flatMap(({ transactions }) => transactions.map((it) => it.function || it.type)));
          expect([...kinds]).toEqual(
            expect.arrayContaining(['CONFIG', 'CommitChaincodeDefinition', 'CreateAsset', 'TransferAsset']),
          );
          for (const block of blocks) {
            expect(block.previousHash).toBe(blocks.find(({ number }) => number === block.number - 1)?.hash ?? '');
            await compare(api, block);
          }
          const first = await api.api('GET', '/assets/car/history?limit=2');
          const next = /<\/api\/v1(.+)>/.exec(String(first.headers['link']))![1]!;
          const rest = await api.api('GET', next);
          const owners = [...(data(first) as Version[]), ...(data(rest) as Version[])].map(({ asset }) => asset.owner);
          expect(owners).toEqual(['Cyd', 'Ben', 'Ana']);
          expect(rest.headers['link']).toBeUndefined();
        } finally {
          await api.stop();
        }
      },
      UP_MS,
    );
  });
}

interface Version {
  readonly asset: { readonly owner: string };
}
