// COUNT clients that follow the events, in one process: `events-follow.mjs PORT COUNT`. Prints `open` when all are connected, and for
// each message that comes then how many events of assets each has got since.
import { connect } from 'node:net';
import process from 'node:process';

const [port, count] = process.argv.slice(2).map(Number);
const MARK = Buffer.from('event: asset.');
const got = new Array(count).fill(0);
let waiting = count;

for (let index = 0; index < count; index++) {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write('GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
  let tail = Buffer.alloc(0);
  let isOpen = false;
  socket.on('data', (bytes) => {
    if (!isOpen) {
      isOpen = true;
      if (--waiting === 0) process.send('open');
    }
    const text = Buffer.concat([tail, bytes]);
    for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + 1)) got[index] += 1;
    tail = text.subarray(Math.max(0, text.length - MARK.length + 1));
  });
  socket.on('close', () => {
    throw new Error('a stream was cut');
  });
}
process.on('message', () => process.send({ least: Math.min(...got), most: Math.max(...got) }));
