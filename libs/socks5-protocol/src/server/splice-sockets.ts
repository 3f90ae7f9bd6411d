import type { Socket } from 'node:net';

/** Passes the bytes of two half-open sockets to each other until both directions have ended or one side breaks. */
export function spliceSockets(a: Socket, b: Socket): void {
  for (const [from, to] of [
    [a, b],
    [b, a],
  ] as const) {
    from.on('error', () => {
      reset(to);
    });
    from.once('close', () => {
      // After both ends were seen this does nothing; otherwise the other side must not wait for a socket that is gone.
      if (!from.readableEnded) {
        to.destroy();
      }
    });
    from.pipe(to);
  }
}

function reset(socket: Socket): void {
  // libuv refuses a reset while it waits to send the end, and the descriptor would stay open.
  if (socket.writableEnded && !socket.writableFinished) {
    socket.destroy();
  } else {
    socket.resetAndDestroy();
  }
}
