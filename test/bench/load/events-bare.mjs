// Measures the memory of bare node:http for each client with an endless response, for `npm run bench:ledger -- --scenarios events`.
import { createServer } from 'node:http';
import process from 'node:process';

const open = new Set();
const server = createServer((request, response) => {
  open.add(response);
  response.once('close', () => open.delete(response));
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  response.write(':\n\n');
});
server.listen(0, '127.0.0.1', () => {
  process.send({ type: 'ready', urls: { http: `http://127.0.0.1:${server.address().port}/api/v1` } });
});
process.on('SIGTERM', () => process.exit(0));
