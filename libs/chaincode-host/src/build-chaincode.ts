import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { LaunchPlan } from './launch/launch-plan.js';
import { toolEnvironment } from './launch/tool-environment.js';
import { LastLines, logLines } from './output-lines.js';
import { StartFailure } from './start-failure.js';

/** Milliseconds after which a build is ended; the first one may download modules. */
const BUILD_TIMEOUT = 600_000;
/**
 * Builds the program of a chaincode into a directory.
 * @throws {@link StartFailure} with the last lines of the build
 */
export async function buildChaincode(
  { path, build }: LaunchPlan,
  directory: string,
  signal: AbortSignal,
): Promise<void> {
  const [program = '', ...args] = build?.(directory) ?? [];
  if (program === '') return;
  const child = spawn(program, args, {
    cwd: path,
    env: toolEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(BUILD_TIMEOUT)]),
    killSignal: 'SIGKILL',
  });
  const lines = new LastLines();
  for (const stream of [child.stdout, child.stderr]) {
    logLines(
      stream,
      (line) => line,
      (line) => {
        lines.add(line);
      },
    );
  }
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new StartFailure('its build failed', lines.toString());
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`its build was ended (${(error as Error).message})`, lines.toString());
  }
}
