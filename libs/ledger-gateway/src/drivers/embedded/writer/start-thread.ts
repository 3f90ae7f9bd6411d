import { Worker } from 'node:worker_threads';

/**
 * Starts a thread whose module lies beside this one. From the sources (tests) a thread needs the same resolution of
 * modules as the one that starts it; see run-from-source.mjs.
 * @param name - of the thread, and of its module `NAME.worker`
 */
export function startThread(name: string, data: unknown): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  return new Worker(new URL(`./${name}.worker.${isSource ? 'ts' : 'js'}`, import.meta.url), {
    name: `ledger-${name}`,
    workerData: data,
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
