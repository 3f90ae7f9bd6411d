import { randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { BlockPacker, engineOwner, type Engine } from './block-packer.js';

const MIB = 1024 * 1024;

describe('BlockPacker', () => {
  const dictionary = randomBytes(2500);
  const unpack = (packed: Uint8Array) => zstdDecompressSync(packed, { dictionary });

  /** Bytes of which half are in the dictionary. */
  function block(length: number): Buffer {
    const parts = Array.from({ length: Math.ceil(length / 1000) }, (_, index) =>
      Buffer.concat([dictionary.subarray(index % 1000, (index % 1000) + 500), randomBytes(500)]),
    );
    return Buffer.concat(parts).subarray(0, length);
  }

  it('creates frames that unpack to the same bytes, of any length, one after the other', () => {
    const packer = new BlockPacker(dictionary);
    const lengths = [0, 1, 100, 1000, 4096, 65_535, 65_536, 131_072, 131_073, MIB - 1, MIB, MIB + 1, 3 * MIB, 10, 5000];
    for (const length of [...lengths, ...lengths.toReversed()]) {
      const bytes = block(length);
      expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
    }
  });

  it('packs what does not shrink', () => {
    const packer = new BlockPacker(dictionary);
    for (const length of [1, 7, 1000, 200_000, MIB]) {
      const bytes = randomBytes(length);
      expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
    }
  });

  it('makes nothing of one block depend on another', () => {
    const [used, fresh] = [new BlockPacker(dictionary), new BlockPacker(dictionary)];
    used.pack(block(50_000));
    const bytes = block(3000);
    expect(Buffer.from(used.pack(bytes)).equals(fresh.pack(bytes))).toBe(true);
  });

  /** An engine that counts its calls, and may be faulty. */
  function engineOf(fault?: (state: Uint32Array, room: number) => void) {
    const { _handle: real, _writeState: state } = engineOwner(dictionary) as {
      _handle: Engine;
      _writeState: Uint32Array;
    };
    const engine = { calls: 0, isFaulty: false };
    const writeSync: Engine['writeSync'] = (...args) => {
      engine.calls += 1;
      if (engine.isFaulty) fault?.(state, args[4].length);
      else real.writeSync(...args);
    };
    return { engine, owner: { _handle: { writeSync }, _writeState: state } };
  }

  it('compresses with one engine on this Node', () => {
    const { engine, owner } = engineOf();
    const packer = new BlockPacker(dictionary, owner);
    const before = engine.calls;
    for (let block = 0; block < 3; block++) packer.pack(randomBytes(1000));
    expect(before).toBeGreaterThan(0);
    expect(engine.calls).toBe(before + 3);
  });

  it.each([{}, { _handle: null }, { _handle: {} }, { _handle: { writeSync: () => undefined }, _writeState: [0, 0] }])(
    'packs in the documented way where Node has another kind of engine (%j)',
    (owner) => {
      const bytes = block(5000);
      expect(unpack(new BlockPacker(dictionary, owner).pack(bytes)).equals(bytes)).toBe(true);
    },
  );

  it('packs in the documented way where the frames of the engine are wrong', () => {
    const state = new Uint32Array(2);
    const writeSync: Engine['writeSync'] = (...[, , , , output]) => {
      state.set([output.length - 40, 0]);
    };
    const bytes = block(5000);
    const packer = new BlockPacker(dictionary, { _handle: { writeSync }, _writeState: state });
    expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
  });

  it.each<[string, (state: Uint32Array, room: number) => void]>([
    ['does nothing', () => undefined],
    [
      'fails',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'has no room left',
      (state) => {
        state.set([0, 0]);
      },
    ],
    [
      'leaves some of the block',
      (state) => {
        state.set([100, 7]);
      },
    ],
    [
      'gives nothing',
      (state, room) => {
        state.set([room, 0]);
      },
    ],
  ])('packs in the documented way when its engine %s', (_, fault) => {
    const { engine, owner } = engineOf(fault);
    const packer = new BlockPacker(dictionary, owner);
    const bytes = block(5000);
    expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
    engine.isFaulty = true;
    expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
    engine.isFaulty = false;
    expect(unpack(packer.pack(bytes)).equals(bytes)).toBe(true);
  });
});
