import { ledgerConformance } from '#ledger-gateway/testing';
import { FABRIC_DRIVERS } from '../support/fabric-ledgers.js';
import { FabricNetwork } from '../support/fabric-network.js';
import { fabricRelease } from '../support/fabric-release.js';

const release = fabricRelease();
const UP_MS = 120_000;

/** A shell command that serves fabric-samples' asset-transfer-basic as a service. */
const stock = process.env['FABRIC_STOCK_CHAINCODE'];

if ('missing' in release) {
  describe(`the Fabric drivers on a real network (skipped: ${release.missing})`, () => {
    it.skip('needs the binaries of a Fabric release', () => undefined);
  });
} else {
  onNetwork('our chaincode', release.env, []);
  if (stock === undefined) {
    describe("the Fabric drivers on fabric-samples' chaincode (skipped: FABRIC_STOCK_CHAINCODE names no command)", () => {
      it.skip('needs a command that serves it', () => undefined);
    });
  } else {
    onNetwork("fabric-samples' chaincode", release.env, ['--chaincode-command', stock]);
  }
}

function onNetwork(chaincode: string, env: Readonly<Record<string, string>>, args: readonly string[]): void {
  describe(`on a real Fabric network with ${chaincode}`, () => {
    let network: FabricNetwork;
    beforeAll(async () => {
      network = await FabricNetwork.up(env, '--batch-timeout', '200ms', ...args);
    }, UP_MS);
    afterAll(async () => {
      await network.down();
    }, UP_MS);

    for (const { name, open } of FABRIC_DRIVERS) {
      ledgerConformance(`${name} with ${chaincode}`, async () => ({
        ledger: await open(network),
        dispose: () => undefined,
        withoutConditions: name === 'fabric' && args.length > 0,
        withoutHistory: args.length > 0,
      }));
    }

    it(
      'is reported alike by both drivers',
      async () => {
        const [one, two] = await Promise.all(FABRIC_DRIVERS.map(({ open }) => open(network)));
        try {
          const info = await one!.chainInfo();
          expect(await two!.chainInfo()).toEqual(info);
          for (let number = 0; number < info.height; number++) {
            const block = await one!.blockByNumber(number);
            expect(await two!.blockByNumber(number)).toEqual(block);
          }
        } finally {
          await one!.close();
          await two!.close();
        }
      },
      UP_MS,
    );
  });
}
