import { parentPort, workerData } from 'node:worker_threads';
import { transferError } from '../../../threads/transferred-error.js';
import { requestsOf, type FromWriter, type ToWriter, type WriterData } from './messages.js';
import { WriterService } from './writer-service.js';

const port = parentPort;
if (port === null) throw new Error('writer.worker runs as a worker thread only');

const post = (message: FromWriter, transfer: readonly ArrayBuffer[] = []): void => {
  port.postMessage(message, transfer);
};

try {
  const service = WriterService.open(workerData as WriterData, post);
  port.on('message', (message: ToWriter) => {
    switch (message.type) {
      case 'signer':
        service.addSigner(message.signer);
        return;
      case 'submit':
        service.submit(requestsOf(message.requests));
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
