/** The oldest Node with all that the programs use; the last to come were numbered parameters in node:sqlite. */
const REQUIRED_NODE = [22, 20] as const;

/** Returns the sentence with which a program ends on an older Node; undefined where it can run. */
export function unsupportedNode(program: string, version: string = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [requiredMajor, requiredMinor] = REQUIRED_NODE;
  if (major > requiredMajor || (major === requiredMajor && minor >= requiredMinor)) return undefined;
  return (
    `${program} needs Node ${REQUIRED_NODE.join('.')} or newer, and this is Node ${version}. Install Node 24 from https://nodejs.org, ` +
    `or let npm fetch it for one run: npx --package=node@24 -- ${program}`
  );
}

/**
 * Runs a program, which is loaded by the function: on an older Node already loading it would fail, with a stack trace. There it prints
 * one sentence instead, and exits with code 1.
 */
export async function runOnSupportedNode(program: string, run: () => Promise<unknown>): Promise<void> {
  const fault = unsupportedNode(program);
  if (fault === undefined) {
    await run();
    return;
  }
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
}
