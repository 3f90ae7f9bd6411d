import { Worker, type ResourceLimits } from 'node:worker_threads';

/**
 * Starts a worker thread. When tests run the TypeScript sources, the thread resolves modules as its parent does; see
 * run-from-source.mjs.
 * @param name - of the thread, and of its module `NAME.worker`
 * @param parentUrl - URL of a module in the same folder, or of that folder
 */
export function startThread(
  name: string,
  data: unknown,
  parentUrl: string,
  resourceLimits: ResourceLimits = {},
): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  return new Worker(new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, parentUrl), {
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
