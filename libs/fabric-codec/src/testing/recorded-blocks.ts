import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A block of a real peer, and the result of decoding it with Fabric's configtxlator. */
export interface RecordedBlock {
  readonly bytes: Uint8Array;
  readonly twin: { readonly data: { readonly data: readonly unknown[] } };
}

/** A whole chain recorded from a network of one Fabric version. */
export interface RecordedChain {
  readonly version: string;
  readonly blocks: readonly RecordedBlock[];
  /** The peer's chain information at the time of the recording. */
  readonly chainInfo: {
    readonly height: number;
    readonly currentBlockHash: string;
    readonly previousBlockHash: string;
  };
}

const FIXTURES = join(import.meta.dirname, '../../../../test/fixtures/fabric-blocks');

/** The chains in test/fixtures/fabric-blocks, block by block from 0 on. */
export function recordedChains(): RecordedChain[] {
  return readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readChain(name));
}

function readChain(version: string): RecordedChain {
  const folder = join(FIXTURES, version);
  const numbers = readdirSync(folder)
    .filter((name) => name.endsWith('.block'))
    .map((name) => name.slice(0, -'.block'.length))
    .sort((a, b) => Number(a) - Number(b));
  return {
    version,
    blocks: numbers.map((number) => ({
      bytes: new Uint8Array(readFileSync(join(folder, `${number}.block`))),
      twin: readJson<RecordedBlock['twin']>(join(folder, `${number}.json`)),
    })),
    chainInfo: readJson<RecordedChain['chainInfo']>(join(folder, 'chain-info.json')),
  };
}

// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- states the type of the fixture
function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
