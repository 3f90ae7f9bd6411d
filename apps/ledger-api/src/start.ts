import type { StartCheck } from '#embedded-ledger';
import type { Logger } from 'pino';
import { findBlockingFile } from '#files';
import { readCallers } from '#ledger-callers';
import { type Ledger, misconfigured } from '#ledger-gateway';
import { ignoredText, isLoopback, type LedgerApiConfig, type LedgerConfig, type TreeConfig } from '#ledger-config';
import { createProgramLog, fileOutput, flushLogOnExit, watchFileLimit } from '#logging';
import { CallerRegistry } from './access/caller-registry.js';
import { createLedgerApi, type LedgerApi } from './app.setup.js';
import { checkLedger } from './gateway/check-ledger.js';
import { LEDGER } from './gateway/gateway.module.js';
import { API_PREFIX } from './openapi/openapi-document.js';
import { type Opened, requireFreeAddresses } from './server/listeners.js';
import { checkSelfSigned, readIdentity, selfSignedIn } from './server/tls-identity.js';

/** A ledger-api that runs. */
export interface RunningApi {
  /** The URL of the API at http. */
  readonly url: string;
  readonly ledger: Ledger;
  /** Reads the certificate and the callers file again, and logs the result as one line. */
  reload(reason: string): Promise<void>;
  /** Lets in-flight requests finish, closes everything and exits; only the first call has an effect. */
  stop(reason: string): void;
}

/** Milliseconds in which a start that is no longer wanted may finish opening the ledger, so that it is closed in order. */
const UNWANTED_START_MS = 10_000;

/**
 * Starts the API: opens the ledger, listens on http and https, and logs the addresses.
 * @param unwanted - aborted with the reason when the program must stop: it then exits as soon as the ledger can be closed
 * @throws if the ledger, the certificate or an address is unavailable; nothing is left open then
 */
export async function startLedgerApi(config: LedgerApiConfig, unwanted: AbortSignal): Promise<RunningApi> {
  const { server, ledger, ignoredVariables, renamedVariables } = config;
  const { level, isOnStandardError } = config.log;
  const log = await createProgramLog('ledger-api', level, isOnStandardError ? fileOutput(2) : undefined);
  const { logger } = log;
  flushLogOnExit(log);
  endUnwantedStart(unwanted, logger);
  const isUnwanted = (): boolean => unwanted.aborted;
  // Before the data directory and its keys are made, and before the trees are opened: each records its origin for good.
  await requireUsableFiles(config);
  await requireFreeAddresses(server);
  if (isUnwanted()) process.exit(0);
  const api = await createLedgerApi(config, log);
  const { app, listeners } = api;
  const running = {
    url: '',
    ledger: app.get<Ledger>(LEDGER),
    stop: stopper(api, logger),
    reload: (reason: string) => reload(reason, api, config, logger),
  };
  if (!isUnwanted()) {
    watchFileLimit(logger);
    for (const line of renamedVariables) logger.warn(line);
    if (ignoredVariables.length > 0) logger.warn({ variables: ignoredVariables }, ignoredText(ignoredVariables));
    try {
      const opened = await listeners.open(server, ledger.dataDir, logger);
      warnBeyondLoopback(config, logger);
      announce(opened, config, logger);
      running.url = `${opened.http}/${API_PREFIX}`;
    } catch (error) {
      await app.close();
      throw error;
    }
  }
  if (isUnwanted()) running.stop(String(unwanted.reason));
  return running;
}

/** Logs that a start is no longer wanted, and exits if it does not finish in time, such as while a peer is awaited. */
function endUnwantedStart(unwanted: AbortSignal, logger: Logger): void {
  const end = (): void => {
    logger.info({ reason: unwanted.reason as unknown }, 'stopping: the ledger is closed as soon as it is open');
    setTimeout(() => {
      logger.warn({ milliseconds: UNWANTED_START_MS }, 'stopping before the ledger is open, which takes too long');
      process.exit(1);
    }, UNWANTED_START_MS).unref();
  };
  if (unwanted.aborted) end();
  else unwanted.addEventListener('abort', end, { once: true });
}

function stopper({ app }: LedgerApi, logger: Logger): RunningApi['stop'] {
  let isStopping = false;
  return (reason) => {
    if (isStopping) return;
    isStopping = true;
    logger.info({ reason }, 'stopping: no new connections; in-flight requests may finish');
    app.close().then(
      () => process.exit(0),
      (err: unknown) => {
        logger.fatal({ err }, 'the ledger could not be closed');
        process.exit(1);
      },
    );
  };
}

async function reload(
  reason: string,
  { app, listeners }: LedgerApi,
  { callers }: LedgerApiConfig,
  logger: Logger,
): Promise<void> {
  const refreshed = callers.isOn ? app.get(CallerRegistry).refresh() : Promise.resolve();
  const unreadable = refreshed.then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  const faults = (await Promise.all([listeners.reloadCertificate(), unreadable])).filter(
    (fault) => fault !== undefined,
  );
  if (faults.length === 0) logger.info({ reason }, 'reloaded: the certificate and the callers are those of the files');
  else logger.error({ reason, faults }, 'not reloaded: what was valid before is used');
}

/**
 * Reads the files that a start with this configuration reads: certificate and key, callers file, trust policy, the ledger's
 * files, the trees. Writes nothing, connects to nothing, and may run while a server uses the directory.
 * @throws the error with which the start would fail
 */
export async function checkStart(config: LedgerApiConfig): Promise<StartCheck> {
  const { server, ledger, tree, index } = config;
  await requireUsableFiles(config);
  const { upgrade, warnings } = await checkLedger(ledger);
  if (tree.isOn) await checkTrees(ledger, tree);
  if (index !== undefined) (await import('#chain-index')).checkIndexDirectory(index.directory);
  const usesSelfSigned = server.httpsPort !== 0 && server.tls === undefined;
  const certificate = usesSelfSigned ? await checkSelfSigned(selfSignedIn(ledger.dataDir)) : undefined;
  return { upgrade, warnings: [...warnings, certificate].filter((warning) => warning !== undefined) };
}

async function checkTrees(ledger: LedgerConfig, config: TreeConfig): Promise<void> {
  const others = ledger.driver === 'embedded' ? [] : ledger.channels;
  const { TreeState } = await import('#signed-tree');
  for (const name of new Set([ledger.channel, ...others])) TreeState.check(name, config);
}

/**
 * Reads the files that an administrator makes, before a start opens the others.
 * @throws the error with which a start would fail
 */
export async function requireUsableFiles({
  server,
  callers,
  ledger,
  tree,
  witness,
  index,
}: LedgerApiConfig): Promise<void> {
  const { policyFile } = witness;
  for (const path of [ledger.dataDir, tree.directory, tree.keyFile, index?.directory, policyFile]) requireNoPipe(path);
  if (server.httpsPort !== 0 && server.tls !== undefined) await readIdentity(server.tls);
  if (callers.isOn) await readCallers(callers.file);
  if (policyFile === undefined) return;
  // Loaded only if it is configured, for a faster start.
  const { readPolicy } = await import('#signed-tree');
  readPolicy(policyFile);
}

/** @throws `LEDGER.MISCONFIGURED` when opening a file, or a file in a directory, would wait for another process */
function requireNoPipe(path: string | undefined): void {
  const found = path === undefined ? undefined : findBlockingFile(path);
  if (found !== undefined) throw misconfigured(`${found} is a named pipe or a device, not a file: move it away.`);
}

function warnBeyondLoopback({ server: { host }, callers }: LedgerApiConfig, logger: Logger): void {
  if (isLoopback(host)) return;
  if (!callers.isOn) {
    logger.warn({ host }, `Listening on ${host} without authentication: every client can read and write.`);
  } else if (!callers.needsTls) {
    logger.warn({ host }, `Keys are accepted over http on ${host}: make sure that only your TLS proxy can reach it.`);
  }
}

/** Announces the addresses of the API in the log, and to a parent process by a message. */
function announce({ http, https, identity }: Opened, { callers, ledger }: LedgerApiConfig, logger: Logger): void {
  // Keys are accepted there.
  const origin = callers.isOn && callers.needsTls ? (https ?? http) : http;
  const urls = {
    explorer: `${origin}/`,
    http: `${http}/${API_PREFIX}`,
    ...(https === undefined ? {} : { https: `${https}/${API_PREFIX}` }),
    docs: `${origin}/docs`,
  };
  const names: Readonly<Record<string, string>> = { explorer: 'explorer ', docs: 'documentation ' };
  const places = Object.entries(urls).map(([name, url]) => `${names[name] ?? ''}${url}`);
  const certificate =
    identity && `certificate${identity.selfSigned ? ' (self-signed)' : ''} SHA-256 ${identity.fingerprint}`;
  logger.info(
    { ...urls, ...(identity && { fingerprint: identity.fingerprint }), driver: ledger.driver },
    `ledger-api is ready: ${[...places, certificate].filter(Boolean).join(', ')}`,
  );
  process.send?.({ type: 'ready', name: 'ledger-api', urls });
}
