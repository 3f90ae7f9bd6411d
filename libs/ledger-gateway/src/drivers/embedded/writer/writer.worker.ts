import { parentPort, workerData } from 'node:worker_threads';
import { transferError } from '../../../threads/transferred-error.js';
import type { FromWriter, ToWriter, WriterData } from './messages.js';
import { WriterService } from './writer-service.js';

const port = parentPort;
if (port === null) throw new Error('writer.worker must run as a worker thread');

const post = (message: FromWriter): void => {
  port.postMessage(message);
};

try {
  const service = WriterService.open(workerData as WriterData, post);
  port.on('message', (message: ToWriter) => {
    switch (message.type) {
      case 'signer':
        service.addSigner(message.signer);
        return;
      case 'submit':
        service.submit(message.requests);
        return;
      case 'close':
        void service.close().finally(() => {
          port.close();
        });
        return;
      default:
        message satisfies never;
    }
  });
} catch (error) {
  post({ type: 'failed', error: transferError(error) });
}
