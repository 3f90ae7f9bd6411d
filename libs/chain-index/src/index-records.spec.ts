import { afterAll, beforeAll, describe } from '@jest/globals';
import { decideOn } from '#contract-kit';
import { gatewayOnStandIn, type LedgerOnStandIn } from '#fabric-ledger/testing';
import { recordsConformance } from '#ledger-gateway/testing';
import { RECORDS_CONTRACT } from '#records-contract';
import { IndexDirectory, indexed } from './testing/index-on-stand-in.js';

describe('the index of a channel with records', () => {
  const directory = new IndexDirectory();
  let made: LedgerOnStandIn;
  beforeAll(async () => {
    made = await gatewayOnStandIn({
      signAs: 'service',
      openIndex: directory.opener(),
      network: {
        chaincodeName: 'records',
        chaincode(name, args, state) {
          const { writes, payload, event } = decideOn(state, RECORDS_CONTRACT.prepare(name, args));
          for (const write of writes) state.write(write);
          state.event = event;
          return payload;
        },
      },
      chaincode: 'records',
    });
    await indexed(made.ledger);
  });
  afterAll(async () => {
    await made.dispose();
    directory.remove();
  });
  recordsConformance(() => made.ledger);
});
