import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { transferError } from '../../../threads/transferred-error.js';
import type { FromReader, PageRequest, ToReader } from './messages.js';
import { StorePages, type StorePagesOptions } from './store-pages.js';

const port = parentPort;
if (port === null) throw new Error('reading.worker runs as a worker thread only');

/** Pages may take long: where there is no core to spare, whoever reads or writes a single asset comes first. */
const NICE = 10;

// On Linux a thread has a priority of its own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(NICE);

const post = (message: FromReader): void => {
  port.postMessage(message);
};

try {
  const pages = new StorePages(workerData as StorePagesOptions);
  port.on('message', (message: ToReader) => {
    if (message.type === 'read') void answer(pages, message);
    else {
      pages.close();
      port.close();
    }
  });
} catch (error) {
  post({ ticket: undefined, error: transferError(error) });
}

async function answer(pages: StorePages, { ticket, method, parameters }: PageRequest): Promise<void> {
  try {
    const read = pages[method].bind(pages) as (...all: typeof parameters) => Promise<object>;
    post({ ticket, page: await read(...parameters) });
  } catch (error) {
    post({ ticket, error: transferError(error) });
  }
}
