import { STATUS_CODES } from 'node:http';
import { httpDate } from '../http/http-date.js';
import type { ProxyFailure } from './proxy-failure.js';
import { renderFailure } from './render-failure.js';

/** How a failure is written. */
export interface FailureForm {
  /** Whether the connection goes on. */
  readonly keepAlive: boolean;
  /** Not to HEAD. */
  readonly withBody: boolean;
}

/** A failure as a whole HTTP answer (latin1). */
export function failureAnswer(failure: ProxyFailure, { keepAlive, withBody }: FailureForm): string {
  const { status, headers, body } = renderFailure(failure);
  const { Connection = keepAlive ? 'keep-alive' : 'close', ...others } = headers;
  const lines = Object.entries({ ...others, Date: httpDate(), Connection });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${head}\r\n${withBody ? body : ''}`;
}
