import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parseCheckpoint } from './checkpoint.js';
import { cosignedAt } from './cosignature.js';
import { SignatureType } from './signed-note.js';
import { generateKey } from './signing-keys.js';
import { consistencyProof } from './testing/reference-tree.js';
import { TestLog } from './testing/test-log.js';
import { ForkError, WitnessClient } from './witness-client.js';
import { Witness, type WitnessedLog } from './witness.js';

const ORIGIN = 'ledger.example.org/assets';
const log = new TestLog(ORIGIN);
const fork = new TestLog(ORIGIN, 'other');
const key = generateKey('witness.example.org/a', SignatureType.COSIGNATURE);
const { signal } = new AbortController();

let state: Map<string, WitnessedLog>;
let signed: number;
let answer: (body: string) => { readonly status: number; readonly body: string };

const clientOf = (own: TestLog) =>
  new WitnessClient({ name: 'a', key, url: undefined }, 'http://witness.example.org/', {
    size: () => signed,
    consistencyProof: (from, to) => consistencyProof(own.leaves.slice(0, to), from),
  });
const confirm = (client: WitnessClient, size: number, own = log) => client.confirm(own.checkpoint(size), signal);

beforeEach(() => {
  state = new Map();
  signed = 300;
  const witness = new Witness(key, [log.key, fork.key], state);
  answer = (body) => witness.addCheckpoint(body);
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    expect(url).toBe('http://witness.example.org/add-checkpoint');
    const { status, body } = answer(init?.body as string);
    return Promise.resolve(new Response(body, { status }));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('the client of a witness', () => {
  it('obtains the confirmation of a log that grows, or stays as it is', async () => {
    const client = clientOf(log);
    for (const size of [1, 4, 4, 7, 300]) {
      const lines = await confirm(client, size);
      expect(cosignedAt(parseCheckpoint(log.checkpoint(size) + lines), key)).toBeDefined();
    }
    expect(state.get(ORIGIN)?.size).toBe(300);
  });

  it('continues from the size that the witness remembers', async () => {
    await confirm(clientOf(log), 5);
    await expect(confirm(clientOf(log), 9)).resolves.toContain(key.name);
  });

  it('notices a fork: larger than what was signed, of the same size, or of another history', async () => {
    await confirm(clientOf(log), 9);
    signed = 8;
    await expect(confirm(clientOf(log), 8)).rejects.toThrow(ForkError);
    signed = 300;
    await expect(confirm(clientOf(fork), 9, fork)).rejects.toThrow(ForkError);
    await expect(confirm(clientOf(fork), 12, fork)).rejects.toThrow(ForkError);
    answer = () => ({ status: 409, body: '9\n' });
    await expect(confirm(clientOf(fork), 9, fork)).rejects.toThrow(ForkError);
  });

  it('does not report a newer confirmed checkpoint as a fork', async () => {
    await confirm(clientOf(log), 9);
    await expect(confirm(clientOf(log), 8)).rejects.not.toThrow(ForkError);
  });

  it.each([
    ['a conflict with nothing', { status: 409, body: '0\n' }, 'answered 409'],
    ['an invalid proof of nothing', { status: 422, body: 'no' }, 'answered 422'],
    ['an error', { status: 500, body: 'full disk' }, 'full disk'],
    ['a conflict without a size', { status: 409, body: 'x' }, 'no size'],
    ['a line that is no signature', { status: 200, body: 'thanks\n' }, 'malformed'],
    ['the signature of another key', { status: 200, body: '— witness.example.org/b AAAAAAAA\n' }, 'no signature'],
    ['too much', { status: 200, body: 'x'.repeat(70_000) }, 'more than'],
  ])('refuses %s', async (_, reply, message) => {
    answer = () => reply;
    const refused = confirm(clientOf(log), 3);
    await expect(refused).rejects.not.toThrow(ForkError);
    await expect(refused).rejects.toThrow(message);
  });
});
