import { encodeEnvelope, encodePayload, TransactionEncoder } from '#fabric-codec/encode';
import type { LedgerCall } from '../ports/ledger.port.js';
import { readAttempt } from './recorded-write.js';

const CALL = { chaincode: 'basic', function: 'TransferAsset', arguments: ['ä', ''] };

/** The envelope of a call, unsigned. */
function envelopeOf({ chaincode, function: name, arguments: args }: LedgerCall & { chaincode: string }): Uint8Array {
  const encoder = new TransactionEncoder({
    channel: 'mychannel',
    chaincode: { name: chaincode, version: '1' },
    creator: new Uint8Array(),
  });
  const proposal = encoder.propose({ nonce: Uint8Array.of(1), timestamp: 0, function: name, arguments: args });
  const writes = [
    { key: 'ä', value: Buffer.from('written') },
    { key: 'gone', value: undefined },
  ];
  const readWriteSets = new Map([[chaincode, { reads: [], writes }]]);
  const response = encoder.respond(proposal, {
    readWriteSets,
    response: { status: 200, payload: Buffer.from('said') },
  });
  return encodeEnvelope(encodePayload(proposal, response, []), new Uint8Array());
}

const recorded = (validationCode: number, call: LedgerCall & { chaincode: string } = CALL) => ({
  transactionId: 'f'.repeat(64),
  validationCode,
  envelope: envelopeOf(call),
});

describe('readAttempt', () => {
  it('returns payload and writes of a valid transaction of the same call', () => {
    const write = readAttempt(CALL, recorded(0));
    expect(Buffer.from(write!.payload).toString()).toBe('said');
    expect(Buffer.from(write!.written('ä')!).toString()).toBe('written');
    expect(write!.written('gone')).toBeUndefined();
    expect(write!.written('other')).toBeUndefined();
  });

  it.each([
    ['another function', { ...CALL, function: 'UpdateAsset' }],
    ['another argument', { ...CALL, arguments: ['ä', 'x'] }],
    ['fewer arguments', { ...CALL, arguments: ['ä'] }],
    ['more arguments', { ...CALL, arguments: ['ä', '', ''] }],
    ['arguments that are cut elsewhere', { ...CALL, arguments: ['', 'ä'] }],
    ['another chaincode', { ...CALL, chaincode: 'other' }],
  ])('refuses %s', (_, call) => {
    expect(() => readAttempt(call, recorded(0))).toThrow(
      expect.objectContaining({ code: 'LEDGER.KEY_REUSED' }) as Error,
    );
  });

  it.each([
    ['MVCC_READ_CONFLICT', 11],
    ['PHANTOM_READ_CONFLICT', 12],
    ['EXPIRED_CHAINCODE', 17],
    ['CHAINCODE_VERSION_CONFLICT', 18],
  ])('allows another attempt after %s, whatever the call was', (_, code) => {
    expect(readAttempt(CALL, recorded(code))).toBeUndefined();
    expect(readAttempt({ ...CALL, function: 'UpdateAsset' }, recorded(code))).toBeUndefined();
  });

  it.each([
    ['ENDORSEMENT_POLICY_FAILURE', 10],
    ['BAD_RWSET', 22],
    ['INVALID_OTHER_REASON', 255],
    ['UNKNOWN_99', 99],
  ])('rejects a transaction recorded as %s, which a retry cannot change', (name, code) => {
    const read = (): unknown => readAttempt(CALL, recorded(code));
    expect(read).toThrow(expect.objectContaining({ code: 'LEDGER.INVALID_TRANSACTION' }) as Error);
    expect(read).toThrow(` as ${name}:`);
  });
});
