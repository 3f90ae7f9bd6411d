import { close, open } from 'node:fs';
import { devNull } from 'node:os';
import type { Logger } from 'pino';

const LOOK_EVERY_MS = 1000;
/** While it goes on it is said so often. */
const SAY_EVERY_MS = 10_000;

/** EMFILE: this process may open no more; ENFILE: nobody may. */
const NONE_LEFT = new Set(['EMFILE', 'ENFILE']);

/**
 * Warns when no file descriptor is left. Nobody else tells: libuv then takes the connections that come and closes them at
 * once, so that they do not wait for ever, and says nothing.
 *
 * @returns ends it
 */
export function watchFileLimit(log: Pick<Logger, 'warn' | 'info'>): () => void {
  let saidAt = -SAY_EVERY_MS;
  let isTold = false;
  const timer = setInterval(() => {
    open(devNull, (error, fd) => {
      if (!error) close(fd);
      if (error !== null && NONE_LEFT.has(error.code ?? '')) {
        const now = performance.now();
        if (now - saidAt < SAY_EVERY_MS) return;
        saidAt = now;
        isTold = true;
        log.warn(
          { code: error.code },
          'no file descriptor is left: connections are closed as they come (see ulimit -n)',
        );
      } else if (isTold) {
        isTold = false;
        log.info({}, 'there are file descriptors again: connections are served');
      }
    });
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}
