import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Keeps a generated file true: writes it, or, when the command line has `--check`, ends with exit code 1 and the command
 * that writes it if what stands on disk differs.
 */
export function writeOrCheck(file: string, text: string, command: string): void {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (current === text) return;
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
    console.log(`${file} written.`);
    return;
  }
  console.error(`${file} is not what the code says: run \`${command}\` and commit it.`);
  process.exitCode = 1;
}
