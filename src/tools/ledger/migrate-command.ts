import { migrateLedger, type MigrationReport } from '#embedded-ledger';
import { createFabricGatewayLedger, createFabricLedger } from '#fabric-ledger';
import type { Ledger } from '#ledger-gateway';
import { EXIT, print } from '../command-line.js';
import { configured, configuredLedger } from '../configured.js';
import { withProgress } from '../progress.js';

interface Options {
  readonly dataDir?: string;
  readonly to: 'fabric' | 'fabric-gateway';
}

/** Copies the assets and the records of an embedded ledger to a Fabric network. */
export async function migrate({ dataDir = configured('LEDGER_DATA_DIR').LEDGER_DATA_DIR, to }: Options): Promise<void> {
  const target = await openTarget(to);
  try {
    const report = await withProgress('Migrating', 'assets', (progress) =>
      migrateLedger({ dataDir, target, progress }),
    );
    printReport(report, target.channel);
    if (report.differing > 0) process.exitCode = EXIT.failed;
  } finally {
    await target.close();
  }
}

async function openTarget(driver: Options['to']): Promise<Ledger> {
  const config = configuredLedger(driver);
  switch (config.driver) {
    case 'fabric':
      return createFabricLedger(config);
    case 'fabric-gateway':
      return createFabricGatewayLedger(config);
    default:
      throw new TypeError(`The configuration is of the driver ${config.driver}.`);
  }
}

function printReport(report: MigrationReport, channel: string): void {
  const { origin, transactionId, created, compared, records, differing, differences, otherChaincodes } = report;
  print(`From channel ${origin.channel}, head ${origin.height}:${origin.headHash}`);
  print(`The certificate of its authority has the SHA-256 ${origin.authority}`);
  print(`Recorded on channel ${channel} in transaction ${transactionId}`);
  print(`${created} assets created; ${compared} assets compared`);
  if (records.compared > 0) print(`${records.created} records created; ${records.compared} records compared`);
  for (const { id, kind, reason } of differences) {
    print(`${kind}: ${JSON.stringify(id)}${reason === undefined ? '' : `: ${reason}`}`);
  }
  if (differing > differences.length) print(`and ${differing - differences.length} more`);
  if (otherChaincodes.length > 0) print(`Not copied: the records of other chaincodes (${otherChaincodes.join(', ')})`);
  print(differing === 0 ? 'No difference.' : `${differing} DIFFERENCES: see above.`);
}
