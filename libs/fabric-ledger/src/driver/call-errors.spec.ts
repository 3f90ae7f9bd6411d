import { chaincodeRefusal, chaincodeReply, isNotRecorded, peerFault } from './call-errors.js';

describe('texts of Fabric', () => {
  it.each([
    ['too many requests for /gateway.Gateway, exceeding concurrency limit (500)', 'too-many-calls'],
    ['proposal client identity expired', 'identity-expired'],
    ['error validating proposal: access denied: channel [mychannel] creator org [Org1MSP]', 'access-denied'],
    ["channel 'other' not found", 'channel-unknown'],
    ['Invalid chain ID, other', 'channel-unknown'],
    [
      'received unsuccessful response from orderer: status=BAD_REQUEST, info=channel creation request not allowed because the orderer system channel is not defined',
      'channel-unserved',
    ],
    [
      'received unsuccessful response from orderer: status=BAD_REQUEST, info=channel does not exist',
      'channel-unserved',
    ],
    [
      'failed to execute transaction 1: could not launch chaincode basic_1.0: dial tcp 127.0.0.1:7052: connect: connection refused',
      'chaincode-down',
    ],
    [
      'make sure the chaincode basic has been successfully defined on channel mychannel and try again',
      'chaincode-unknown',
    ],
    ['no combination of peers can be derived which satisfy the endorsement policy', 'endorsers-missing'],
    ['DiscoveryService: basic error: no peer combination can satisfy the endorsement policy', 'endorsers-missing'],
    ['ProposalResponsePayloads do not match', 'answers-differ'],
    [
      'rpc error: code = Unavailable desc = "transport: Error while dialing: dial tcp: connection refused"',
      'not-reached',
    ],
    ['No connection established. Last error: connect ECONNREFUSED 127.0.0.1:7051', 'not-reached'],
    ['cannot serve block [3]. The ledger is bootstrapped from a snapshot. First available block = [9]', 'pruned'],
    [
      'details for the TXID [f0] not available. Ledger bootstrapped from a snapshot. First available block = [9]',
      'pruned',
    ],
    ['duplicate transaction found [f0]. Creator [0a074f7267314d5350]', 'duplicate'],
    ['error in simulation: failed to execute transaction f0: error sending: txid: f0(mychannel) exists', 'duplicate'],
    ['something else', undefined],
  ])('%j means %s', (text, fault) => {
    expect(peerFault(text)).toBe(fault);
  });

  it('state that nothing is recorded', () => {
    expect(isNotRecorded('Failed to get block number 9, error no such block number [9] in index')).toBe(true);
    expect(isNotRecorded('Failed to get block number x')).toBe(false);
  });

  it('contain the message of the chaincode, line breaks included, and its status', () => {
    expect(chaincodeReply('chaincode response 404, The asset a\nb does not exist')).toEqual({
      text: 'The asset a\nb does not exist',
      status: 404,
    });
    expect(chaincodeReply('proposal response was not successful, error code 7, msg too low')).toEqual({
      text: 'too low',
      status: 7,
    });
    // A refusal of fabric-shim 2.2 was reported as an unreachable ledger.
    const refusal = 'error in simulation: transaction returned with failure: Error: The asset a does not exist';
    expect(chaincodeReply(`evaluate call to endorser returned error: ${refusal}`)).toEqual({ text: refusal });
    expect(chaincodeReply('could not launch chaincode')).toBeUndefined();
  });

  it.each([
    ['ASSET_NOT_FOUND: the asset a does not exist', 'LEDGER.ASSET_NOT_FOUND', 'the asset a does not exist'],
    ['NOT_AN_ASSET: the record is not an asset', 'LEDGER.REFUSED', 'the record is not an asset'],
    ['The asset 6c21fa4f-1235-473d does not exist', 'LEDGER.ASSET_NOT_FOUND', undefined],
    ['the asset a already exists', 'LEDGER.ASSET_EXISTS', undefined],
    ["You've asked to invoke a function that does not exist: X", 'LEDGER.FUNCTION_UNKNOWN', undefined],
    ['Function X not found in contract SmartContract', 'LEDGER.FUNCTION_UNKNOWN', undefined],
    ['Expected 5 parameters, but 1 have been supplied', 'LEDGER.INVALID_ARGUMENT', undefined],
    ['no such colour', 'LEDGER.REFUSED', undefined],
  ])('of a chaincode, %j, are a refusal with the code %s', (text, code, message = text) => {
    const refusal = chaincodeRefusal({ text, status: 404 }, {});
    expect(refusal).toMatchObject({ code, message, chaincodeStatus: 404 });
  });
});
