import { SOCKS_ERROR_KEYS } from '#metrics';
import type { OtherProtocol, Socks5Error, Socks5Phase } from '#socks5-protocol';
import { FAILURES } from '../failure/failure-table.js';

/** The steps of the check, in their order. */
export type CheckStage = 'tcp' | 'authentication' | 'connect';

/** Exit codes when a step fails. */
export const STAGE_EXIT: Readonly<Record<CheckStage, number>> = { tcp: 3, authentication: 4, connect: 5 };

const STAGES: Readonly<Record<Socks5Phase, CheckStage>> = {
  connect: 'tcp',
  method: 'authentication',
  authentication: 'authentication',
  request: 'connect',
};

/** The step in which an error came. */
export function stageOf({ phase = 'connect' }: Socks5Error): CheckStage {
  return STAGES[phase];
}

/** What went wrong and what to look at. */
export function explain(error: Socks5Error, hasCredentials: boolean): string {
  switch (error.code) {
    case 'SOCKS5.UNREACHABLE':
      return `${FAILURES.upstream_unreachable.text}${systemCode(error)}`;
    case 'SOCKS5.METHOD_REFUSED':
      return hasCredentials
        ? 'The server takes neither no authentication nor user name and password.'
        : 'The server wants authentication: set upstream.username and upstream.password.';
    case 'SOCKS5.CLOSED':
      return closedText(stageOf(error));
    case 'SOCKS5.REPLY':
      return replyText(error.replyCode ?? 0);
    case 'SOCKS5.TIMEOUT':
      return `${error.message} Check that the host and port are those of a SOCKS5 server.`;
    default:
      return error.protocol === undefined ? error.message : otherProtocolText(error.protocol);
  }
}

function otherProtocolText(protocol: OtherProtocol): string {
  return protocol === 'SSH' ? FAILURES.upstream_speaks_ssh.text : FAILURES.upstream_speaks_http.text;
}

function systemCode({ cause }: Socks5Error): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}

function closedText(stage: CheckStage): string {
  return stage === 'connect'
    ? 'The server closed the connection instead of a reply; ssh -D does so when it cannot reach the target.'
    : 'The server closed the connection. Check that it speaks SOCKS5 and that it lets this machine in.';
}

function replyText(replyCode: number): string {
  const key = SOCKS_ERROR_KEYS[replyCode - 1];
  if (replyCode <= 8 && key !== undefined && key !== 'connection_failed') return FAILURES[key].text;
  return `The server answered with reply 0x${replyCode.toString(16).padStart(2, '0')}, which SOCKS5 does not define.`;
}
