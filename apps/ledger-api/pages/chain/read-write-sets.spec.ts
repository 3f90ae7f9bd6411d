import { describe, expect, it } from '@jest/globals';
import { readEnvelope } from './read-write-sets.js';

const envelope = (actions: unknown) => ({ payload: { data: { actions } } });
const action = (sets: unknown, endorsements: unknown = []) => ({
  payload: { action: { endorsements, proposal_response_payload: { extension: { results: { ns_rwset: sets } } } } },
});

describe('readEnvelope', () => {
  it('tells what was read and written, a key in one row', () => {
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
    expect(readEnvelope(envelope([action([set])])).keys).toEqual([
      { namespace: 'basic', key: 'a', read: { block: 3, transaction: 1 }, write: { value: '{"ID":"a"}' } },
      { namespace: 'basic', key: 'b', read: 'absent' },
      { namespace: 'basic', key: 'c', write: 'deleted' },
    ]);
  });

  it('names who endorsed', () => {
    const endorsements = [{ endorser: { mspid: 'Org1MSP', id_bytes: 'PEM' }, signature: 'AA==' }];
    expect(readEnvelope(envelope([action([], endorsements)])).endorsers).toEqual([
      { mspId: 'Org1MSP', certificate: 'PEM' },
    ]);
  });

  it.each([undefined, null, 'AA==', {}, envelope('AA=='), envelope([null, 1, {}]), envelope([action([null])])])(
    'shows nothing of what has another form: %j',
    (raw) => {
      expect(readEnvelope(raw).endorsers).toEqual([]);
      expect(readEnvelope(raw).keys).toEqual([]);
    },
  );
});
