import { mkdirSync, readdirSync, readlinkSync, rmdirSync } from 'node:fs';
import { createAsset, failureOf, fillLedger, openLedger, TemporaryDirectory } from '../testing/temporary-ledger.js';

/** The files of a directory that this process has open, in any thread. */
function openFilesIn(directory: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(directory) ? [file] : [];
    } catch {
      // The descriptor of this list.
      return [];
    }
  });
}

(process.platform === 'linux' ? it : it.skip)('a ledger that cannot be opened leaves no file open', async () => {
  const directory = new TemporaryDirectory();
  await fillLedger(directory.path, 1);
  // Found after the writer thread has been started.
  const unreadable = directory.file('identities', 'callers', 'alice.pem');
  mkdirSync(unreadable, { mode: 0o700, recursive: true });
  expect((await failureOf(openLedger(directory.path))).message).toContain('alice.pem');
  expect(openFilesIn(directory.path)).toEqual([]);
  rmdirSync(unreadable);
  const ledger = await openLedger(directory.path);
  await ledger.submit(createAsset('afterwards'));
  await ledger.close();
  directory.remove();
});
