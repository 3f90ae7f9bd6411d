import { beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { ContractError, decideOn, type Decision, type PrivateKey, type StateReader } from '#contract-kit';
import { MemoryState } from '#contract-kit/testing';
import { RECORDS_CONTRACT } from './contract.js';
import { sealDocument, type SealedDocument } from './sealed-document.js';
import type { Json } from './strict-json.js';

const PATIENT = JSON.stringify({
  payload: 'outside',
  schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
});

/** A ledger in memory with private values, which executes each call as a transaction. */
class Ledger {
  readonly state = new MemoryState();
  readonly values = new Map<string, Uint8Array>();
  readonly #reader: StateReader = {
    value: (key) => this.state.value(key),
    range: (query) => this.state.range(query),
    history: (key) => this.state.history(key),
    privateValue: ({ key }: PrivateKey) => this.values.get(key),
  };

  call(name: string, args: readonly string[], sealed: readonly SealedDocument[] = []): Json {
    const transient = new Map(sealed.map(({ digest, bytes }) => [digest, bytes]));
    const facts = { transactionId: 'ab'.repeat(32), timestamp: '2026-01-02T03:04:05.678Z', transient };
    const prepared = RECORDS_CONTRACT.prepare(name, args, facts);
    const decision = decideOn(this.#reader, prepared);
    this.#apply(decision);
    const text = Buffer.from(decision.payload).toString();
    return text === '' ? null : (JSON.parse(text) as Json);
  }

  #apply({ writes, privateWrites = [] }: Decision): void {
    for (const write of writes) this.state.write(write);
    for (const { collection, key, value, isPurge } of privateWrites) {
      expect(collection).toBe('documents');
      if (value !== undefined) this.values.set(key, value);
      else if (isPurge === true) this.values.delete(key);
    }
  }

  refusal(name: string, args: readonly string[], sealed: readonly SealedDocument[] = []): string {
    const before = this.state.writes;
    try {
      this.call(name, args, sealed);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      expect(this.state.writes).toBe(before);
      return error.message;
    }
    throw new Error('the contract did not refuse');
  }
}

function seal(document: Json): SealedDocument {
  return sealDocument(document, randomBytes(32));
}

const OUTSIDE =
  'INVALID_ARGUMENT: documents of patient are stored outside the blocks: send the SHA-256 digest of salt and document, and them as transient data';

describe('documents outside the blocks', () => {
  let ledger: Ledger;
  const ana = seal({ name: 'ana' });
  const bob = seal({ name: 'bob' });
  beforeEach(() => {
    ledger = new Ledger();
    ledger.call('DefineType', ['patient', PATIENT]);
    ledger.call('DefineType', ['note', '{"payload":"outside","mode":"mutable"}']);
    ledger.call('DefineType', ['login', '{}']);
  });

  it('have the digest of salt and canonical JSON', () => {
    const salt = Buffer.alloc(32, 7);
    const { digest, bytes } = sealDocument({ b: 1, a: [] }, salt);
    expect(Buffer.from(bytes).toString('latin1')).toBe(`${'\u0007'.repeat(32)}{"a":[],"b":1}`);
    expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('are in no key of the state, and are read by their digests', () => {
    const created = ledger.call('Create', ['patient', 'p1', ana.digest], [ana]);
    expect(created).toEqual({ id: 'p1', record: { h: ana.digest, v: 1 } });
    expect(ledger.state.stored('r/patient/p1')).toBe(`{"h":"${ana.digest}","v":1}`);
    expect(ledger.call('Documents', [JSON.stringify([ana.digest, bob.digest])])).toEqual([
      { state: 'stored', salt: Buffer.from(ana.bytes.subarray(0, 32)).toString('hex'), document: { name: 'ana' } },
      { state: 'absent' },
    ]);
  });

  it('meet the schema of their type', () => {
    const invalid = seal({ name: 1 });
    expect(ledger.refusal('Create', ['patient', 'p1', invalid.digest], [invalid])).toBe(
      'RECORD_INVALID: the document is refused: /name must be string',
    );
    expect(ledger.call('CreateMany', ['patient', batch(ana, invalid, bob)], [ana, invalid, bob])).toMatchObject({
      created: [expect.any(String), expect.any(String)],
      // A block contains this result: the full reason would quote names of members.
      refused: [{ index: 1, code: 'RECORD_INVALID', reason: 'the document is refused' }],
    });
    expect([...ledger.values.keys()]).toEqual([ana.digest, bob.digest]);
  });

  it.each([
    ['Create', ['patient', 'p', '{"name":"ana"}']],
    ['Create', ['patient', 'p', ana.digest]],
    ['CreateMany', ['patient', '[{"document":{"name":"ana"}}]']],
    ['CreateMany', ['patient', `[{"digest":"${ana.digest}","id":"${'x'.repeat(257)}"}]`]],
    ['CreateMany', ['patient', `[{"digest":"${ana.digest}","name":"ana"}]`]],
    ['CreateMany', ['patient', `[{"digest":5}]`]],
  ])('are refused with the whole call when a block would contain them: %s %j', (name, args) => {
    expect(ledger.refusal(name, args)).toBe(OUTSIDE);
  });

  it('are refused when they are not what the digest names, or not canonical', () => {
    const digests =
      'INVALID_ARGUMENT: transient data must be named by their SHA-256 digests, and be a salt and a document';
    const swapped = { digest: ana.digest, bytes: bob.bytes };
    expect(ledger.refusal('Create', ['patient', 'p', ana.digest], [swapped])).toBe(digests);
    expect(ledger.refusal('Create', ['patient', 'p', 'x'], [{ digest: 'x', bytes: ana.bytes }])).toBe(digests);
    const canonical =
      'RECORD_INVALID: the document is refused: it must be canonical JSON (RFC 8785) after 32 bytes of salt';
    for (const bytes of [Buffer.from(`${'s'.repeat(32)}{"name": "ana"}`), Buffer.from(`${'1'.repeat(31)}2`)]) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(ledger.refusal('Create', ['patient', 'p', digest], [{ digest, bytes }])).toMatch(/^RECORD_INVALID/);
    }
    const spaced = Buffer.from(`${'s'.repeat(32)}{"name": "ana"}`);
    const digest = createHash('sha256').update(spaced).digest('hex');
    expect(ledger.refusal('Create', ['patient', 'p', digest], [{ digest, bytes: spaced }])).toBe(canonical);
  });

  it('have the limits of those inside', () => {
    const large = seal({ name: 'x'.repeat(65_536) });
    const limit = 'RECORD_INVALID: the document is refused: it must not exceed 65536 bytes';
    expect(ledger.refusal('Create', ['patient', 'p', large.digest], [large])).toBe(limit);
    expect(ledger.call('CreateMany', ['patient', batch(large, ana)], [large, ana])).toMatchObject({
      created: [expect.any(String)],
      refused: [{ index: 0, code: 'RECORD_INVALID' }],
    });
  });

  it('are not accepted by a type with documents inside', () => {
    const inside = 'INVALID_ARGUMENT: documents of login are stored inside the blocks: send no transient data';
    expect(ledger.refusal('Create', ['login', 'l', '{}'], [ana])).toBe(inside);
    expect(ledger.refusal('CreateMany', ['login', '[{"document":{}}]'], [ana])).toBe(inside);
    expect(ledger.call('CreateMany', ['login', batch(ana)])).toMatchObject({
      created: [],
      refused: [{ index: 0, code: 'INVALID_ARGUMENT' }],
    });
  });

  it('are purged in all versions, with a mark for each', () => {
    ledger.call('Create', ['note', 'n', ana.digest], [ana]);
    ledger.call('Update', ['note', 'n', bob.digest, ''], [bob]);
    ledger.call('Purge', ['note', 'n', JSON.stringify([bob.digest, ana.digest]), '']);
    expect(ledger.values.size).toBe(0);
    expect(ledger.state.stored('r/note/n')).toBeUndefined();
    expect(ledger.call('Documents', [JSON.stringify([ana.digest, bob.digest])])).toEqual([
      { state: 'erased' },
      { state: 'erased' },
    ]);
  });

  it('are purged after a deletion, and of a type with the mode append', () => {
    ledger.call('Create', ['note', 'n', ana.digest], [ana]);
    ledger.call('Delete', ['note', 'n', '']);
    expect(ledger.values.size).toBe(1);
    ledger.call('Purge', ['note', 'n', JSON.stringify([ana.digest]), '']);
    ledger.call('Create', ['patient', 'p', bob.digest], [bob]);
    ledger.call('Purge', ['patient', 'p', JSON.stringify([bob.digest]), '']);
    expect(ledger.values.size).toBe(0);
  });

  it('are not purged by a call that does not name the newest version, or names another document', () => {
    const changed = 'RECORD_CHANGED: the record n of note has changed since it was read';
    ledger.call('Create', ['note', 'n', ana.digest], [ana]);
    ledger.call('Update', ['note', 'n', bob.digest, ''], [bob]);
    expect(ledger.refusal('Purge', ['note', 'n', JSON.stringify([ana.digest]), ''])).toBe(changed);
    ledger.call('Delete', ['note', 'n', '']);
    expect(ledger.refusal('Purge', ['note', 'n', JSON.stringify([ana.digest]), ''])).toBe(changed);
    expect(ledger.refusal('Purge', ['note', 'n', JSON.stringify([bob.digest]), 'none'])).toBe(changed);
    const other = seal({ name: 'carl' });
    ledger.call('Create', ['note', 'other', other.digest], [other]);
    expect(ledger.refusal('Purge', ['note', 'n', JSON.stringify([bob.digest, other.digest]), ''])).toBe(
      `INVALID_ARGUMENT: ${other.digest} is not the digest of a version of the record`,
    );
    expect(ledger.values.size).toBe(3);
  });

  it.each([
    [['note', 'none', '[]', ''], 'RECORD_NOT_FOUND: the record none of note does not exist'],
    [['nope', 'n', '[]', ''], 'RECORD_TYPE_UNKNOWN: the record type nope is not defined'],
    [['note', 'n', '["x"]', ''], 'INVALID_ARGUMENT: documents must be a JSON array of at most 1000 digests'],
    [
      ['login', 'l', '[]', ''],
      'RECORD_NOT_ERASABLE: documents of login cannot be erased: they are stored inside the blocks. Use a type with the payload outside for documents that must be erasable',
    ],
  ])('are not purged by %j', (args, message) => {
    expect(ledger.refusal('Purge', args)).toBe(message);
  });
});

function batch(...sealed: readonly SealedDocument[]): string {
  return JSON.stringify(sealed.map(({ digest }) => ({ digest })));
}
