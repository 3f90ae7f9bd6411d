import { parentPort, workerData } from 'node:worker_threads';
import { EnvelopeSigner, type TransactionSigners } from './signing/envelope-signer.js';
import { packParts, type PackedParts } from './signing/packed-parts.js';
import { unpackTransactions } from './signing/packed-transactions.js';

const port = parentPort;
if (port === null) throw new Error('signer.worker runs as a worker thread only');

const signer = new EnvelopeSigner(workerData as TransactionSigners);
port.on('message', (packed: PackedParts) => {
  const envelopes = packParts(unpackTransactions(packed).map((transaction) => signer.envelope(transaction)));
  port.postMessage(envelopes, [envelopes.bytes.buffer]);
});
port.postMessage('ready');
