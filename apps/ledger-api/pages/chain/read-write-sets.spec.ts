import { describe, expect, it } from '@jest/globals';
import { envelopeDetails } from './read-write-sets.js';

const envelope = (actions: unknown) => ({ payload: { data: { actions } } });
const action = (sets: unknown, endorsements: unknown = []) => ({
  payload: { action: { endorsements, proposal_response_payload: { extension: { results: { ns_rwset: sets } } } } },
});

describe('envelopeDetails', () => {
  it('lists reads and writes, one row per key', () => {
    const set = {
      namespace: 'basic',
      rwset: {
        reads: [
          { key: 'a', version: { block_num: 3, tx_num: 1 } },
          { key: 'b', version: null },
        ],
        writes: [
          { key: 'a', is_delete: false, value: '{"ID":"a"}' },
          { key: 'c', is_delete: true, value: '' },
        ],
      },
    };
    expect(envelopeDetails(envelope([action([set])])).keys).toEqual([
      { namespace: 'basic', key: 'a', read: { block: 3, transaction: 1 }, write: { value: '{"ID":"a"}' } },
      { namespace: 'basic', key: 'b', read: 'absent' },
      { namespace: 'basic', key: 'c', write: 'deleted' },
    ]);
  });

  it('lists the endorsers', () => {
    const endorsements = [{ endorser: { mspid: 'Org1MSP', id_bytes: 'PEM' }, signature: 'AA==' }];
    expect(envelopeDetails(envelope([action([], endorsements)])).endorserMspIds).toEqual(['Org1MSP']);
  });

  it.each([undefined, null, 'AA==', {}, envelope('AA=='), envelope([null, 1, {}]), envelope([action([null])])])(
    'returns nothing for a malformed envelope: %j',
    (raw) => {
      expect(envelopeDetails(raw).endorserMspIds).toEqual([]);
      expect(envelopeDetails(raw).keys).toEqual([]);
    },
  );
});
