import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this process may mount a file system. */
export function smallDiskWorks(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const probe = mkdtempSync(join(tmpdir(), 'mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', probe]).status === 0;
  if (isMounted) spawnSync('umount', [probe]);
  rmSync(probe, { recursive: true });
  return isMounted;
}

/** Mounts an empty disk of that size, in tmpfs; returns a function that unmounts it. */
export function mountSmallDisk(path: string, size: string): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]);
  return () => {
    execFileSync('umount', [path]);
  };
}
