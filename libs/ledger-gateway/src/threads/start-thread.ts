import { Worker, type ResourceLimits } from 'node:worker_threads';

/**
 * Starts a thread. From the sources (tests) a thread needs the same resolution of modules as the one that starts it; see
 * run-from-source.mjs.
 * @param name - of the thread, and of its module `NAME.worker`
 * @param beside - URL of a module, or of the folder, beside or in which the thread's module lies
 */
export function startThread(name: string, data: unknown, beside: string, resourceLimits: ResourceLimits = {}): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  return new Worker(new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, beside), {
    name: `ledger-${name}`,
    workerData: data,
    resourceLimits,
    ...(isSource
      ? {
          execArgv: [
            '--disable-warning=ExperimentalWarning',
            '--import',
            new URL('./run-from-source.mjs', import.meta.url).href,
          ],
        }
      : {}),
  });
}
