import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DOCUMENTS_COLLECTION } from '#records-contract';

/** The definition of the collection of documents on the ledger of one organization. */
const DOCUMENTS_DEFINITION = {
  ...{ name: DOCUMENTS_COLLECTION, policy: "OR('Org1MSP.member')", requiredPeerCount: 0, maxPeerCount: 1 },
  ...{ blockToLive: 0, memberOnlyRead: true, memberOnlyWrite: true },
};

/** The packaged chaincode of records in a folder, from which a peer starts it. */
export class RecordsPackage {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), 'records-package-')));

  /** @param collections - its collections; none for a definition without them */
  constructor(collections: readonly object[] = [DOCUMENTS_DEFINITION]) {
    // What `npm run chaincode -- package` writes, unpacked and with its dependency, as a peer builds it.
    const file = join(this.path, 'records.tgz');
    const options = ['--contract', 'records', '--type', 'node', '--label', 'records_1.0', '--out', file];
    execFileSync(process.execPath, ['dist/src/chaincode.js', 'package', ...options]);
    execFileSync('tar', ['xzf', file, 'code.tar.gz'], { cwd: this.path });
    execFileSync('tar', ['xzf', 'code.tar.gz', '--strip-components=1'], { cwd: this.path });
    symlinkSync(join(process.cwd(), 'node_modules'), join(this.path, 'node_modules'));
    const content = JSON.stringify(collections);
    if (collections.length > 0) writeFileSync(join(this.path, 'collections_config.json'), content);
  }

  remove(): void {
    rmSync(this.path, { recursive: true });
  }
}
