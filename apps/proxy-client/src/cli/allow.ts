import type { Grant, QuestionList } from '../admin/api/gate.responses.js';
import type { AdminConfig, ProxyClientConfig } from '../config/proxy-client-config.js';
import { readToken } from '../admin/admin-access.js';
import { formatAuthority } from '../http/authority.js';
import { parseGrantTarget } from '../routing/gate/grants.js';
import { urlOnThisMachine } from '../routing/rules/own-addresses.js';

/** A permission to request from a running proxy. */
export interface AllowRequest {
  /** `HOST:PORT` */
  readonly target: string;
  /** A duration such as `1h`. */
  readonly for: string;
}

/** An admin listener that answers. */
interface Found {
  readonly url: string;
  readonly token: Token;
  readonly status: number;
}

/** The token to send, and where it is expected. */
interface Token {
  readonly value?: string | undefined;
  /** The file; absent: the configuration. */
  readonly file?: string;
  /** Why there is no such file. */
  readonly problem?: string;
}

const TIMEOUT_MS = 5000;
const UNAUTHORIZED = 401;

/**
 * The command `allow`: requests a grant from the admin listener of the running proxy.
 *
 * @returns the exit code
 */
export async function allow(
  { admin }: ProxyClientConfig,
  { target, for: time }: AllowRequest,
  print: (line: string) => void,
): Promise<number> {
  return reportingErrors(async () => {
    const { url, token } = await findListener(admin);
    const grant = (await answerOf(url, token, 'grants', { target, for: time })) as Grant;
    print(`${grant.target} is allowed until ${grant.until} (grant ${grant.id})`);
  });
}

/**
 * The command `deny`: answers no for a target about which the running proxy asks.
 *
 * @returns the exit code
 */
export async function deny(
  { admin }: ProxyClientConfig,
  target: string,
  print: (line: string) => void,
): Promise<number> {
  return reportingErrors(async () => {
    const { url, token } = await findListener(admin);
    const grantTarget = parseGrantTarget(target);
    const name = grantTarget === undefined ? target : formatAuthority(grantTarget);
    const { asks } = (await answerOf(url, token, 'asks')) as QuestionList;
    const question = asks.find((each) => each.target === name);
    if (question === undefined) throw new AllowError(`No request for ${name} waits for an answer.`);
    await answerOf(url, token, `asks/${question.id}`, { answer: 'no' });
    print(`${name} is refused`);
  });
}

/** @returns the exit code */
async function reportingErrors(action: () => Promise<void>): Promise<number> {
  try {
    await action();
    return 0;
  } catch (error) {
    if (!(error instanceof AllowError)) throw error;
    process.stderr.write(`proxy-client: ${error.message}\n`);
    return 1;
  }
}

/** The reason why there is no grant, with what to do. */
class AllowError extends Error {}

/** @throws {@link AllowError} unless exactly one proxy answers that accepts the token */
async function findListener(admin: AdminConfig | undefined): Promise<Found> {
  if (admin === undefined) {
    throw new AllowError(
      'The admin listener is off in this configuration. Set admin.port for the proxy and for this command.',
    );
  }
  const { port, orUpTo = port } = admin;
  const ports = Array.from({ length: orUpTo - port + 1 }, (_, index) => port + index);
  const answers = await Promise.all(ports.map(async (each) => probe(admin, each)));
  const found = answers.filter((answer) => answer !== undefined);
  const [first, ...others] = found;
  if (first === undefined) {
    const range = port === orUpTo ? '' : ` to ${orUpTo}`;
    throw new AllowError(
      `No proxy answers at ${urlOnThisMachine(admin.host, port)}${range}. Start it, or name its port: --config or PROXY_ADMIN_PORT.`,
    );
  }
  if (others.length > 0) {
    const urls = found.map(({ url }) => url).join(', ');
    throw new AllowError(`Several proxies answer: ${urls}. Choose one by its port: PROXY_ADMIN_PORT.`);
  }
  if (first.status === UNAUTHORIZED) throw new AllowError(tokenAdvice(first, admin));
  return first;
}

function tokenAdvice({ url, token }: Found, { token: configured }: AdminConfig): string {
  const { value, file = '', problem } = token;
  if (configured !== undefined)
    return `The proxy at ${url} does not accept the token of this configuration (admin.token).`;
  if (value !== undefined)
    return `The proxy at ${url} does not accept the token in ${file}: it has another admin.token.`;
  return (
    `The proxy at ${url} requires a token, ${problem ?? `and ${file} contains none`}. Run this command as the user of the proxy, ` +
    'or with its configuration, in which admin.token is set (--config).'
  );
}

/** Returns the token of the configuration, else that of the file. */
function tokenFor({ token }: AdminConfig, port: number): Token {
  if (token !== undefined) return { value: token };
  try {
    const { token: value, file } = readToken(port);
    return { value, file };
  } catch (error) {
    // The directory belongs to another user, or cannot be created.
    return { problem: `but its file cannot be found: ${(error as Error).message}` };
  }
}

/** @returns undefined if no proxy answers on this port */
async function probe(admin: AdminConfig, port: number): Promise<Found | undefined> {
  const url = urlOnThisMachine(admin.host, port);
  const token = tokenFor(admin, port);
  try {
    const response = await request(url, token, 'grants');
    const isProxy = response.ok || response.headers.get('x-error-code')?.startsWith('ADMIN.') === true;
    await response.body?.cancel();
    return isProxy ? { url, token, status: response.status } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the answer of the admin listener.
 *
 * @param body - of a POST; absent: a GET
 * @throws {@link AllowError} with the reason if the proxy refuses it
 */
async function answerOf(url: string, token: Token, path: string, body?: object): Promise<unknown> {
  const options = body && { method: 'POST', body: JSON.stringify(body) };
  const answer = await request(url, token, path, options)
    .then(async (response) => ({ isDone: response.ok, text: await response.text() }))
    .catch(() => {
      throw new AllowError(`The proxy at ${url} did not answer. It may have ended: see its log.`);
    });
  if (!answer.isDone) throw new AllowError(answer.text.trim());
  return JSON.parse(answer.text) as unknown;
}

async function request(url: string, { value }: Token, path: string, options: RequestInit = {}): Promise<Response> {
  const headers = {
    'Content-Type': 'application/json',
    ...(value !== undefined && { Authorization: `Bearer ${value}` }),
  };
  return fetch(`${url}/${path}`, { ...options, headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
}
