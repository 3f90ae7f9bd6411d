import type { Worker } from 'node:worker_threads';
import { startThread } from '../../../threads/start-thread.js';
import type { WriterData } from './messages.js';

/** Starts the writer's thread, whose module lies beside this one, also where both were put into a package. */
export function startWriter(data: WriterData): Worker {
  return startThread('writer', data, import.meta.url);
}
