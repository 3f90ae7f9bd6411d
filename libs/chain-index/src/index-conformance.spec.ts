import { afterAll, beforeAll, describe } from '@jest/globals';
import { type LedgerOnStandIn, sampleChaincode } from '#fabric-ledger/testing';
import { pagesConformance } from '#ledger-gateway/testing';
import { DRIVERS, IndexDirectory, indexed } from './testing/index-on-stand-in.js';

const CHAINCODES = [
  { chaincode: 'our chaincode', network: {} },
  { chaincode: "fabric-samples' chaincode", network: { chaincode: sampleChaincode } },
];

describe.each(DRIVERS.flatMap((driver) => CHAINCODES.map((each) => ({ ...driver, ...each }))))(
  'the index of $chaincode by $name',
  ({ open, network }) => {
    const directory = new IndexDirectory();
    let made: LedgerOnStandIn;
    beforeAll(async () => {
      made = await open({ signAs: 'service', network, openIndex: directory.opener() });
      await indexed(made.ledger);
    });
    afterAll(async () => {
      await made.dispose();
      directory.remove();
    });
    pagesConformance(
      () => made.ledger,
      () => true,
    );
  },
);
