import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { parseCheckpoint } from './checkpoint.js';
import { cosignedAt } from './cosignature.js';
import { signatureLine, SignatureType } from './signed-note.js';
import { generateKey, type SignerKey } from './signing-keys.js';
import { TestLog } from './testing/test-log.js';
import { Witness, type WitnessedLog } from './witness.js';

const ORIGIN = 'ledger.example.org/assets';
const log = new TestLog(ORIGIN);
const key = generateKey('witness.example.org/a', SignatureType.COSIGNATURE);
const otherHash = log.leaves[0]!;
const NOW = 1_790_000_000_500;

let state: Map<string, WitnessedLog>;
let witness: Witness;

beforeEach(() => {
  state = new Map();
  witness = new Witness(key, [log.key], state, () => NOW);
});

const add = (body: string) => witness.addCheckpoint(body);
const hashOf = (origin: string) => createHash('sha256').update(origin).digest('hex');

describe('a witness', () => {
  it('confirms a log from its first checkpoint on, as long as it grows', () => {
    for (const [old, size] of [
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 4],
      [4, 7],
      [7, 9],
    ] as const) {
      const { status, body } = add(log.request(old, size));
      expect(status).toBe(200);
      const cosigned = parseCheckpoint(log.checkpoint(size) + body);
      expect(cosignedAt(cosigned, key)).toBe(1_790_000_000);
      expect(state.get(ORIGIN)).toMatchObject({ size, checkpoint: log.checkpoint(size) + body });
    }
  });

  it('shows the newest checkpoint that it confirmed, with verified signatures only', () => {
    const stranger = generateKey(ORIGIN, SignatureType.ED25519);
    const line = signatureLine(stranger, Buffer.alloc(64));
    const { body } = add(log.request(0, 3, log.checkpoint(3) + line));
    expect(witness.checkpoint(hashOf(ORIGIN))).toMatchObject({ status: 200, body: log.checkpoint(3) + body });
    expect(witness.checkpoint(hashOf('other')).status).toBe(404);
  });

  it('shows nothing before it confirmed anything', () => {
    expect(witness.checkpoint(hashOf(ORIGIN)).status).toBe(404);
  });

  it('answers 409 with its last size when the log assumes another one', () => {
    add(log.request(0, 4));
    expect(add(log.request(3, 7))).toMatchObject({ status: 409, type: 'text/x.tlog.size', body: '4\n' });
    expect(add(log.request(0, 7))).toMatchObject({ status: 409, body: '4\n' });
    expect(state.get(ORIGIN)?.size).toBe(4);
  });

  it.each<readonly [string, number, () => string]>([
    ['of another history', 422, () => log.request(4, 7, log.checkpoint(7, { root: otherHash }))],
    ['of the same size with another root', 422, () => log.request(4, 4, log.checkpoint(4, { root: otherHash }))],
    ['without its proof', 422, () => `old 4\n\n${log.checkpoint(7)}`],
    ['that is smaller', 400, () => log.request(4, 3)],
    ['of an unknown log', 404, () => log.request(4, 7, log.checkpoint(7, { origin: 'other' }))],
    ['signed by a stranger', 403, () => log.request(4, 7, log.checkpoint(7, { signer: generateKey(ORIGIN, 1) }))],
    ['with a false signature', 403, () => log.request(4, 7, log.checkpoint(7).replace('\n7\n', '\n8\n'))],
    [
      'signed as a cosignature',
      403,
      () => log.request(4, 7, log.checkpoint(7, { signer: { ...log.key, type: 4, id: 1 } })),
    ],
    ['without an old size', 400, () => log.request(4, 7).replace('old 4', 'new 4')],
    ['with an old size of another form', 400, () => log.request(4, 7).replace('old 4', 'old 04')],
    ['with a proof of too many lines', 400, () => `old 4\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n${log.checkpoint(7)}`],
    ['with a short hash in its proof', 400, () => `old 4\nAAAA\n\n${log.checkpoint(7)}`],
    ['without an empty line', 400, () => 'old 4\n'],
    ['without signatures', 400, () => `old 4\n\n${log.checkpoint(7).split('\n\n')[0]!}\n`],
    ['with an empty extension line', 400, () => `old 4\n\n${log.checkpoint(7).replace('\n\n', '\n\n\n')}`],
    ['without an origin', 400, () => `old 4\n\n${log.checkpoint(7).replace(ORIGIN, '')}`],
    ['with a size of another form', 400, () => `old 4\n\n${log.checkpoint(7).replace('\n7\n', '\n7.0\n')}`],
    ['with a root of another length', 400, () => `old 4\n\n${log.checkpoint(7, { root: Buffer.alloc(31) })}`],
  ])('refuses a checkpoint %s, and remembers the last one', (_, status, body) => {
    add(log.request(0, 4));
    const before = state.get(ORIGIN);
    expect(add(body()).status).toBe(status);
    expect(state.get(ORIGIN)).toBe(before);
  });

  it('refuses a first checkpoint with a proof, and an empty tree with another root', () => {
    expect(add(`old 0\n${'A'.repeat(43)}=\n\n${log.checkpoint(3)}`).status).toBe(422);
    expect(add(log.request(0, 0, log.checkpoint(0, { root: otherHash }))).status).toBe(422);
  });

  it('confirms nothing that it could not remember', () => {
    witness = new Witness(key, [log.key], {
      get: () => undefined,
      set: () => {
        throw new Error('no space left');
      },
    });
    expect(() => add(log.request(0, 3))).toThrow('no space left');
  });

  it('accepts any of several keys of a log', () => {
    const second: SignerKey = generateKey(ORIGIN, SignatureType.ED25519);
    witness = new Witness(key, [log.key, second], state);
    expect(add(log.request(0, 3, log.checkpoint(3, { signer: second }))).status).toBe(200);
    expect(add(log.request(3, 5)).status).toBe(200);
  });
});

describe('a cosignature', () => {
  it('is not by a witness when its time or text was changed, or it is too short', () => {
    const { body } = add(log.request(0, 3));
    const [, , encoded = ''] = body.trim().split(' ');
    const bytes = Buffer.from(encoded, 'base64');
    const line = (signature: Uint8Array) => signatureLine(key, signature);
    const at = (text: string) => cosignedAt(parseCheckpoint(text), key);
    expect(at(log.checkpoint(3) + body)).toBe(1_790_000_000);
    const later = Buffer.from(bytes.subarray(4));
    later.writeUInt8(later.readUInt8(7) ^ 1, 7);
    expect(at(log.checkpoint(3) + line(later))).toBeUndefined();
    expect(at(log.checkpoint(4) + body)).toBeUndefined();
    expect(at(log.checkpoint(3) + line(Buffer.alloc(8)))).toBeUndefined();
    expect(at(log.checkpoint(3))).toBeUndefined();
  });
});
