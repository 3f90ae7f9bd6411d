import { isLedgerError } from '#ledger-gateway';
import { isRefusedByOrderer, uncommittedError } from './network-errors.js';

const PLACE = { channel: 'mychannel', chaincode: 'basic', endpoint: 'peer0', identity: 'User1 of Org1MSP' };

/** An error as the SDK throws it. */
function sdkError(message: string, facts: object = {}): Error {
  return Object.assign(new Error(message), facts);
}

function codeOf(error: Error): string {
  const found = uncommittedError(error, PLACE);
  return isLedgerError(found) ? found.code : found.message;
}

const answered = (status: number, message: string) => ({ response: { status, message }, endorsement: undefined });

describe('an error of fabric-network', () => {
  it.each([
    [
      'our contract’s refusal',
      sdkError('ASSET_NOT_FOUND: the asset a does not exist', { status: 500 }),
      'LEDGER.ASSET_NOT_FOUND',
    ],
    ['the samples’ refusal', sdkError('The asset a-b already exists', { status: 500 }), 'LEDGER.ASSET_EXISTS'],
    ['a refusal in other words', sdkError('no such colour', { status: 500 }), 'LEDGER.REFUSED'],
    [
      'a refusal whose id reads like a failure',
      sdkError('The asset connection refused does not exist', { status: 500 }),
      'LEDGER.ASSET_NOT_FOUND',
    ],
    [
      'a refusal of a write',
      sdkError('No valid responses', {
        responses: [answered(500, 'ASSET_EXISTS: the asset a already exists')],
        errors: [],
      }),
      'LEDGER.ASSET_EXISTS',
    ],
    ['a peer that is gone', sdkError('Query failed. Errors: ["Error: peer0 is not connected"]'), 'LEDGER.UNAVAILABLE'],
    [
      'a chaincode that is down',
      sdkError(
        'error in simulation: failed to execute transaction f0: could not launch chaincode basic_1.0: connection refused',
        {
          status: 500,
        },
      ),
      'LEDGER.UNAVAILABLE',
    ],
    ['a peer that hangs', sdkError('Query failed. Errors: ["Error: REQUEST TIMEOUT"]'), 'LEDGER.TIMEOUT'],
    ['a foreign identity', sdkError('DiscoveryService: mychannel error: access denied'), 'LEDGER.MISCONFIGURED'],
    ['an expired identity', sdkError('proposal client identity expired'), 'LEDGER.MISCONFIGURED'],
    ['peers that disagree', sdkError('Peer endorsements do not match'), 'LEDGER.NOT_DETERMINISTIC'],
    [
      'too many calls',
      sdkError('too many requests for /protos.Endorser, exceeding concurrency limit (2500)'),
      'LEDGER.OVERLOADED',
    ],
    ['orderers that refuse', sdkError('orderer response status: FORBIDDEN'), 'LEDGER.MISCONFIGURED'],
  ])('of %s has the code of the port', (_, error, code) => {
    expect(codeOf(error)).toBe(code);
  });

  it.each([
    'access denied',
    'identity expired',
    'connection refused',
    'timeout expired while executing transaction',
    'no combination of peers',
    'Peer endorsements do not match',
    'too many requests for me',
    'REQUEST TIMEOUT',
    'error in simulation: transaction returned with failure: Error: access denied',
  ])('defect: is a refusal of a chaincode that says %j, and a fault of a peer that does', (text) => {
    const written = sdkError('No valid responses', { responses: [answered(500, text)], errors: [] });
    for (const error of [sdkError(text, { status: 500 }), sdkError(text, { status: 150 }), written])
      expect(codeOf(error)).toBe('LEDGER.REFUSED');
    const system = uncommittedError(sdkError('access denied for [GetChainInfo][c]', { status: 500 }), {
      ...PLACE,
      chaincode: 'qscc',
    });
    expect(system).toMatchObject({ code: 'LEDGER.MISCONFIGURED' });
  });

  it('defect: is a refusal when the chaincode responds with status 0', () => {
    const lost = 'GRPC service failed to get a proper response from the peer "grpc://peer0:7051".';
    const error = sdkError(`Query failed. Errors: ["Error: ${lost}"]`);
    expect(codeOf(error)).toBe('LEDGER.REFUSED');
  });

  it('is not a refusal when one peer endorsed and the other is unreachable', () => {
    const failed = sdkError('Endorsement has failed', {
      endorsements: [answered(200, ''), sdkError('peer0 is not connected')],
    });
    expect(codeOf(sdkError('No valid responses', { responses: [], errors: [failed] }))).toBe('LEDGER.UNAVAILABLE');
  });

  it('distinguishes an orderer that refused from one that may have accepted the transaction', () => {
    expect(isRefusedByOrderer(sdkError('orderer response status: BAD_REQUEST'))).toBe(true);
    expect(isRefusedByOrderer(sdkError('not successfully to the committer. status:SERVICE_UNAVAILABLE'))).toBe(false);
    expect(isRefusedByOrderer(sdkError('SERVICE UNAVAILABLE'))).toBe(false);
  });
});
