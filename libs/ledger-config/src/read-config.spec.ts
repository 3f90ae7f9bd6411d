import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { readConfig } from './read-config.js';
import { Environment } from './environment.js';
import { envExampleOf, InvalidEnvironmentError, variablesOf } from './variables.js';

const PROFILE = {
  LEDGER_DRIVER: 'fabric',
  FABRIC_CONNECTION_PROFILE: 'connection-org1.json',
  FABRIC_WALLET_DIR: 'wallet',
  FABRIC_IDENTITY: 'User1',
};
const GATEWAY = {
  LEDGER_DRIVER: 'fabric-gateway',
  FABRIC_PEER_ENDPOINTS: 'peer0.org1.example.com:7051,127.0.0.1:9051,[::1]:11051',
  FABRIC_CERT: 'cert.pem',
  FABRIC_KEY: 'key.pem',
};
const NAMES = {
  dataDir: 'data/ledger',
  channel: 'mychannel',
  chaincode: 'basic',
  mspId: 'Org1MSP',
  idempotencyDays: 7,
};
const COMMON = {
  limits: { evaluate: 10_000, endorse: 30_000, submit: 10_000, commit: 60_000 },
  maxCalls: 400,
  channels: [],
  readOnly: false,
};

function linesOf(environment: NodeJS.ProcessEnv): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof InvalidEnvironmentError) return error.lines;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('returns the documented defaults for an empty environment', () => {
    expect(readConfig({})).toEqual({
      log: { level: 'info', isOnStandardError: false },
      tracing: { endpoint: undefined },
      ignoredVariables: [],
      renamedVariables: [],
      tree: { isOn: false, directory: 'data/ledger/tree', origin: '', keyFile: 'data/ledger/tree/keys' },
      witness: { policyFile: undefined, intervalMs: 10_000 },
      server: {
        host: '127.0.0.1',
        httpPort: 3000,
        httpsPort: 3443,
        allowedHosts: ['127.0.0.1'],
        trustedProxies: [],
        corsOrigins: [],
      },
      callers: {
        isOn: false,
        file: 'data/ledger/callers.json',
        needsTls: false,
        hasOpenMetrics: false,
        hasOpenTrees: false,
        listedFunctions: [],
        sign: false,
      },
      ledger: {
        driver: 'embedded',
        isEphemeral: false,
        dataDir: 'data/ledger',
        channel: 'mychannel',
        chaincode: 'basic',
        mspId: 'Org1MSP',
        idempotencyDays: 7,
        readOnly: false,
      },
    });
  });

  it.each([
    ['LEDGER_AUHT', 'LEDGER_AUTH'],
    ['LEDGR_AUTH', 'LEDGER_AUTH'],
    ['LEDGERAUTH', 'LEDGER_AUTH'],
    ['LEDGER-AUTH', 'LEDGER_AUTH'],
    ['legder_auth', 'LEDGER_AUTH'],
    ['EDGER_AUTH', 'LEDGER_AUTH'],
    ['FABRIK_KEY', 'FABRIC_KEY'],
    ['FARBIC_CERT', 'FABRIC_CERT'],
    ['LEDGER__TREE', 'LEDGER_TREE'],
    ['LEDGER_CHANEL', 'LEDGER_CHANNEL'],
    ['Ledger_Read_Only', 'LEDGER_READ_ONLY'],
    ['FABRIC_CERTS', 'FABRIC_CERT'],
    ['LEDGER_API_AUTH', 'LEDGER_AUTH'],
    ['ledger_api_auth', 'LEDGER_AUTH'],
    ['LEDGER_API_AUHT', 'LEDGER_AUTH'],
    ['LEDGER_SERVER_AUTH', 'LEDGER_AUTH'],
    ['FABRIC_AUTH', 'LEDGER_AUTH'],
    ['LEDGER_API_CALLERS_FILE', 'LEDGER_CALLERS_FILE'],
    ['LEDGER_API_JWT_ISSUER', 'LEDGER_JWT_ISSUER'],
    ['LEDGER_API_TRUSTED_PROXIES', 'LEDGER_TRUSTED_PROXIES'],
    ['LEDGER_API_READ_ONLY', 'LEDGER_READ_ONLY'],
    ['LEDGER_ALLOWED_HOSTS', 'LEDGER_API_ALLOWED_HOSTS'],
    ['LEDGER_TLS_KEY', 'LEDGER_API_TLS_KEY'],
    ['LEDGER_PORT', 'LEDGER_API_PORT'],
    ['FABRIC_PEER_TLS_ROOT_CERT', 'FABRIC_TLS_ROOT_CERT'],
    ['FABRIC_PEER_CERT', 'FABRIC_CERT'],
    ['FABRIC_ENDPOINTS', 'FABRIC_PEER_ENDPOINTS'],
    ['FABRIC_MSP_ID', 'LEDGER_MSP_ID'],
    ['LEDGER_LOG_LEVEL', 'LOG_LEVEL'],
    ['LEDGER_CHAINCODE_QUERY', 'LEDGER_CHAINCODE_QUERIES'],
    ['LEDGER_AUTHENTICATION', 'LEDGER_AUTH'],
    ['LEDGER_API_AUTHENTICATION', 'LEDGER_AUTH'],
    ['ledger_authorization', 'LEDGER_AUTH'],
    ['LEDGER_AUTH_ENABLED', 'LEDGER_AUTH'],
    ['LEDGER_DATA_DIRECTORY', 'LEDGER_DATA_DIR'],
    ['LEDGER_API_TLS_CERTIFICATE', 'LEDGER_API_TLS_CERT'],
    ['LEDGER_TLS_CERTIFICATE', 'LEDGER_API_TLS_CERT'],
    ['LEDGER_API_TLS_CERT_FILE', 'LEDGER_API_TLS_CERT'],
    ['LEDGER_CHAINCODE_TIMEOUT', 'LEDGER_CHAINCODE_TIMEOUT_MS'],
    ['LEDGER_WITNESS_INTERVAL', 'LEDGER_WITNESS_INTERVAL_MS'],
    ['LEDGER_RATE_LIMIT_REDIS_URL', 'LEDGER_RATE_LIMIT_REDIS'],
    ['FABRIC_IDENTITIES', 'FABRIC_IDENTITY'],
    ['FABRIC_KEY_PATH', 'FABRIC_KEY'],
  ])('refuses %s, which is probably %s', (name, intended) => {
    expect(linesOf({ [name]: 'on' })).toEqual([`${name} is not a variable of ledger-api: did you mean ${intended}?`]);
    expect(linesOf({ [name]: '' })).toEqual([]);
  });

  it('ignores and names other variables with its prefixes, unless tools or Fabric read them', () => {
    const tools = ['LEDGER_API_KEY', 'LEDGER_KEY', 'LEDGER_API', 'FABRIC_BIN', 'FABRIC_CA_SECRET', 'FABRIC_CFG_PATH'];
    const set = [
      'LEDGER_API_SERVICE_HOST',
      'FABRIC_SOMETHING',
      'PATH',
      'MY_LEDGER_AUHT',
      'X_LEDGER_AUTH',
      'LOG_LEVLE',
      ...tools,
    ];
    const { ignoredVariables } = readConfig(Object.fromEntries(set.map((name) => [name, 'x'])));
    expect(ignoredVariables).toEqual(['LEDGER_API_SERVICE_HOST', 'FABRIC_SOMETHING']);
  });

  it.each([
    ...[
      'FABRIC_ROOT',
      'FABRIC_TLS_CERT',
      'FABRIC_PEER',
      'FABRIC_TLS',
      'FABRIC_CA',
      'FABRIC_NETWORK',
      'FABRIC_TLS_CLIENT',
    ],
    ...[
      'LEDGER_API_TOKEN',
      'LEDGER_API_VERSION',
      'LEDGER_API_SERVICE_HOST',
      'LEDGER_API_PORT_3000_TCP',
      'LEDGER_HOST_DIR',
    ],
    ...['LEDGER_URL', 'LEDGER_IMAGE', 'LEDGER_VERSION', 'LEDGER_JWT', 'LEDGER_RATE', 'LEDGER_NAME', 'LEDGER_TREASURY'],
  ])('does not refuse %s, which resembles no variable', (name) => {
    expect(readConfig({ [name]: 'x' }).ignoredVariables).toEqual([name]);
  });

  it('ignores what Kubernetes and Docker set for services', () => {
    const service = {
      LEDGER_API_SERVICE_HOST: '10.0.0.1',
      LEDGER_API_SERVICE_PORT: '3000',
      LEDGER_API_SERVICE_PORT_HTTPS: '3443',
      LEDGER_API_PORT: 'tcp://10.0.0.1:3000',
      LEDGER_API_PORT_3000_TCP: 'tcp://10.0.0.1:3000',
      LEDGER_API_PORT_3000_TCP_PROTO: 'tcp',
      LEDGER_API_PORT_3000_TCP_PORT: '3000',
      LEDGER_API_PORT_3000_TCP_ADDR: '10.0.0.1',
      LEDGER_PORT: 'tcp://10.0.0.2:80',
      LEDGER_PORT_80_TCP_ADDR: '10.0.0.2',
      FABRIC_PEER_SERVICE_HOST: '10.0.0.3',
      FABRIC_PEER_SERVICE_PORT: '7051',
    };
    const { server, ignoredVariables } = readConfig(service);
    expect([server.httpPort, ignoredVariables]).toEqual([3000, []]);
    // The pod's own setting replaces the variable of the service.
    expect(readConfig({ ...service, LEDGER_API_PORT: '8080' }).server.httpPort).toBe(8080);
    expect(linesOf({ ...service, LEDGER_API_AUTH: 'on' })).toHaveLength(1);
    // No service has only a part of them.
    expect(linesOf({ LEDGER_API_PORT: '10.0.0.1:3000' })).toHaveLength(1);
    expect(readConfig({ FABRIC_PEER_SERVICE_HOST: 'x' }).ignoredVariables).toEqual(['FABRIC_PEER_SERVICE_HOST']);
  });

  it('is frozen at every depth', () => {
    const config = readConfig({ LEDGER_API_TLS_CERT: 'c.pem', LEDGER_API_TLS_KEY: 'k.pem' });
    expect([config.log, config.server, config.server.tls, config.ledger].every((part) => Object.isFrozen(part))).toBe(
      true,
    );
  });

  it('reads every variable from the environment', () => {
    expect(
      readConfig({
        LEDGER_API_HOST: '::1',
        LEDGER_API_PORT: '0',
        LEDGER_API_HTTPS_PORT: '0',
        LEDGER_API_ALLOWED_HOSTS: 'ledger.example,api',
        LEDGER_API_TLS_CERT: 'cert.pem',
        LEDGER_API_TLS_KEY: 'key.pem',
        LEDGER_AUTH: 'on',
        LEDGER_METRICS: 'open',
        LEDGER_TREE: 'on',
        LEDGER_TREE_ORIGIN: 'ledger.example.org/lisbon',
        LEDGER_TREE_KEY: '/etc/ledger/tree.keys',
        LEDGER_WITNESS_POLICY: '/etc/ledger/policy',
        LEDGER_WITNESS_INTERVAL_MS: '2000',
        LEDGER_TREE_READERS: 'open',
        LEDGER_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,fd00::/8',
        LEDGER_API_CORS_ORIGINS: 'https://app.example,http://[::1]:5173',
        LEDGER_CALLERS_FILE: '/etc/ledger/callers.json',
        LOG_LEVEL: 'debug',
        LEDGER_DRIVER: 'embedded',
        LEDGER_DATA_DIR: '/var/lib/ledger',
        LEDGER_CHANNEL: 'trade.eu-1',
        LEDGER_CHAINCODE: 'asset-transfer_2',
        LEDGER_MSP_ID: 'Org2.MSP',
        LEDGER_IDEMPOTENCY_DAYS: '30',
        LEDGER_CONTRACTS: 'basic:ReadAsset,cars:org.hyperledger.fabric:GetMetadata',
      }),
    ).toEqual({
      log: { level: 'debug', isOnStandardError: false },
      tracing: { endpoint: undefined },
      ignoredVariables: [],
      renamedVariables: [],
      tree: {
        isOn: true,
        directory: '/var/lib/ledger/tree',
        origin: 'ledger.example.org/lisbon',
        keyFile: '/etc/ledger/tree.keys',
      },
      witness: { policyFile: '/etc/ledger/policy', intervalMs: 2000 },
      server: {
        host: '::1',
        httpPort: 0,
        httpsPort: 0,
        allowedHosts: ['::1', 'ledger.example', 'api'],
        trustedProxies: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
        corsOrigins: ['https://app.example', 'http://[::1]:5173'],
        tls: { certificateFile: 'cert.pem', keyFile: 'key.pem' },
      },
      callers: {
        isOn: true,
        file: '/etc/ledger/callers.json',
        needsTls: false,
        hasOpenMetrics: true,
        hasOpenTrees: true,
        listedFunctions: ['basic:ReadAsset', 'cars:org.hyperledger.fabric:GetMetadata'],
        sign: true,
      },
      ledger: {
        driver: 'embedded',
        isEphemeral: false,
        dataDir: '/var/lib/ledger',
        channel: 'trade.eu-1',
        chaincode: 'asset-transfer_2',
        mspId: 'Org2.MSP',
        idempotencyDays: 30,
        readOnly: false,
      },
    });
  });

  it('treats an empty variable as absent, as a copied .env with blanks means it', () => {
    const empty = Object.fromEntries([...variablesOf(Environment).keys()].map((name) => [name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it.each([
    ['LEDGER_API_HOST', 'http://localhost'],
    ['LEDGER_API_HOST', 'a b'],
    ['LEDGER_API_HOST', '[::1]'],
    ['LEDGER_API_HOST', '-a'],
    ['LEDGER_API_PORT', '65536'],
    ['LEDGER_API_PORT', '-1'],
    ['LEDGER_API_PORT', '80a'],
    ['LEDGER_API_PORT', '0x10'],
    ['LEDGER_API_PORT', ' 80 '],
    ['LEDGER_API_PORT', '1e3'],
    ['LEDGER_API_PORT', '80.5'],
    ['LEDGER_API_HTTPS_PORT', '70000'],
    ['LEDGER_API_HTTPS_PORT', 'off'],
    ['LEDGER_API_HTTPS_PORT', '3000'],
    ['LEDGER_API_ALLOWED_HOSTS', 'ledger.example:3000'],
    ['LEDGER_API_ALLOWED_HOSTS', 'https://ledger.example'],
    ['LEDGER_API_ALLOWED_HOSTS', 'a, b'],
    ['LEDGER_API_ALLOWED_HOSTS', '*'],
    ['LEDGER_AUTH', 'yes'],
    ['LEDGER_API_PLAIN', '1'],
    ['LEDGER_METRICS', 'all'],
    ['LEDGER_METRICS', 'reader'],
    ['LEDGER_TREE', 'yes'],
    ['LEDGER_TREE_ORIGIN', 'lisbon'],
    ['LEDGER_TREE_ORIGIN', 'ledger.example.org/a b/lisbon'],
    ['LEDGER_TREE_READERS', 'reader'],
    ['LEDGER_SIGN_AS', 'nobody'],
    ['LEDGER_SIGN_AS', 'caller'],
    ['LEDGER_CONTRACTS', 'basic'],
    ['LEDGER_CONTRACTS', 'basic:'],
    ['LEDGER_CONTRACTS', ':ReadAsset'],
    ['LEDGER_CONTRACTS', 'basic:ReadAsset,,basic:GetAllAssets'],
    ['LEDGER_CONTRACTS', 'basic:ReadAsset, basic:GetAllAssets'],
    ['LEDGER_TRUSTED_PROXIES', '*'],
    ['LEDGER_TRUSTED_PROXIES', 'proxy.example'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.256'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.0/'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['LEDGER_TRUSTED_PROXIES', '10.0.0.1, 10.0.0.2'],
    ['LEDGER_TRUSTED_PROXIES', 'fd00::/129'],
    ['LEDGER_API_CORS_ORIGINS', '*'],
    ['LEDGER_API_CORS_ORIGINS', 'https://app.example/'],
    ['LEDGER_API_CORS_ORIGINS', 'app.example'],
    ['LEDGER_API_HOST', '0.0.0.0'],
    ['LEDGER_API_HOST', '::'],
    ['LEDGER_API_HOST', '127.evil.example'],
    ['LEDGER_API_HOST', '10.0.0.7'],
    ['LEDGER_API_HOST', '2130706433'],
    ['LOG_LEVEL', 'loud'],
    ['LOG_LEVEL', 'INFO'],
    ['LEDGER_DRIVER', 'quorum'],
    ['LEDGER_CHANNEL', 'MyChannel'],
    ['LEDGER_CHANNEL', '../x'],
    ['LEDGER_CHANNEL', '1st'],
    ['LEDGER_CHANNEL', 'a'.repeat(250)],
    ['LEDGER_CHAINCODE', 'basic_'],
    ['LEDGER_CHAINCODE', 'a b'],
    ['LEDGER_MSP_ID', 'Org1/MSP'],
    ['LEDGER_CHAINCODES', 'cars'],
    ['LEDGER_CHAINCODES', 'cars='],
    ['LEDGER_CHAINCODES', '=./cars'],
    ['LEDGER_CHAINCODES', 'a.b=./cars'],
    ['LEDGER_CHAINCODES', 'lscc=./cars'],
    ['LEDGER_CHAINCODES', 'a=grpc://host'],
    ['LEDGER_CHAINCODES', 'a=grpcs://host:1'],
    ['LEDGER_CHAINCODES', 'a=grpc://unix:relative'],
    ['LEDGER_CHAINCODES', 'a=grpc://host:0'],
    ['LEDGER_CHAINCODES', 'a=grpc://host:65536'],
    ['LEDGER_CHAINCODES', 'a=grpc://[::1]:99999'],
    ['LEDGER_CHAINCODES', 'a=b,a=c'],
    ['LEDGER_CHAINCODES', 'basic=grpc://127.0.0.1:9'],
    ['LEDGER_IDEMPOTENCY_DAYS', '0'],
  ])('refuses %s=%s with one line that names it', (name, value) => {
    const lines = linesOf({ [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} = .+: .+\\.$`));
    expect(lines[0]).toContain(JSON.stringify(value));
  });

  it.each(['LEDGER_API_TLS_CERT', 'LEDGER_API_TLS_KEY'])('refuses %s alone', (name) => {
    const missing = name === 'LEDGER_API_TLS_KEY' ? 'LEDGER_API_TLS_CERT' : 'LEDGER_API_TLS_KEY';
    expect(linesOf({ [name]: 'file.pem' })).toEqual([
      `${missing} is not set: LEDGER_API_TLS_CERT and LEDGER_API_TLS_KEY are needed together.`,
    ]);
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LocalHost'])(
    'serves without authentication on %s by default',
    (LEDGER_API_HOST) => {
      expect(readConfig({ LEDGER_API_HOST }).callers).toMatchObject({ isOn: false, sign: false });
      expect(readConfig({ LEDGER_API_HOST, LEDGER_AUTH: 'on' }).callers).toMatchObject({ isOn: true, needsTls: false });
    },
  );

  it('names both ways to listen beyond loopback, and accepts either', () => {
    const beyond = { LEDGER_API_HOST: '0.0.0.0' };
    expect(linesOf(beyond)[0]).toMatch(/LEDGER_AUTH=on.+LEDGER_AUTH=off/);
    expect(readConfig({ ...beyond, LEDGER_AUTH: 'off' }).callers).toMatchObject({ isOn: false });
    expect(readConfig({ ...beyond, LEDGER_AUTH: 'on' }).callers).toMatchObject({ isOn: true, needsTls: true });
    const plain = { ...beyond, LEDGER_AUTH: 'on', LEDGER_API_HTTPS_PORT: '0' };
    expect(linesOf(plain)).toEqual([expect.stringMatching(/^LEDGER_API_HTTPS_PORT = "0": .+LEDGER_API_PLAIN=on/)]);
    expect(readConfig({ ...plain, LEDGER_API_PLAIN: 'on' }).callers).toMatchObject({ needsTls: false });
  });

  it.each([
    [{ LEDGER_AUTH: 'on' }, true],
    [{ LEDGER_AUTH: 'on', LEDGER_SIGN_AS: 'service' }, false],
    [{ LEDGER_AUTH: 'on', ...GATEWAY }, false],
    [{ LEDGER_AUTH: 'on', LEDGER_SIGN_AS: 'caller', ...GATEWAY, FABRIC_WALLET_DIR: 'wallet' }, true],
  ])('with %j callers sign themselves: %s', (environment, sign) => {
    expect(readConfig(environment).callers.sign).toBe(sign);
  });

  it.each(['https://user:password@login.example/realm', 'https://login.example/password'])(
    'defect: the issuer %s without LEDGER_AUTH=on was printed with its password',
    (LEDGER_JWT_ISSUER) => {
      const lines = linesOf({ LEDGER_JWT_ISSUER, LEDGER_JWT_AUDIENCE: 'ledger' });
      expect(lines).toEqual([expect.stringMatching(/^LEDGER_JWT_ISSUER is invalid: .+\.$/)]);
      expect(lines.join()).not.toContain('password');
    },
  );

  it('reports every invalid variable at once', () => {
    expect(linesOf({ LEDGER_API_PORT: 'x', LOG_LEVEL: 'y', LEDGER_DRIVER: 'z' })).toHaveLength(3);
  });
});

describe('the configuration of the driver fabric', () => {
  it('accepts chaincodes on an embedded ledger', () => {
    const { ledger } = readConfig({
      LEDGER_CHAINCODES:
        'cars=./cars=1,token-erc_20=grpc://127.0.0.1:9999,far=grpc://[::1]:9999,near=grpc://unix:/run/cc.sock',
      LEDGER_CHAINCODE_TIMEOUT_MS: '5000',
      LEDGER_CHAINCODE_CHECK_DETERMINISM: 'on',
    });
    expect(ledger).toHaveProperty('chaincodes', {
      sources: [
        { name: 'cars', source: './cars=1' },
        { name: 'token-erc_20', source: 'grpc://127.0.0.1:9999' },
        { name: 'far', source: 'grpc://[::1]:9999' },
        { name: 'near', source: 'grpc://unix:/run/cc.sock' },
      ],
      timeout: 5000,
      checksDeterminism: true,
      isWatched: false,
      hasQueries: false,
    });
  });

  it.each([
    [{}, false],
    [{ LEDGER_CHAINCODE_WATCH: 'on' }, true],
    [{ LEDGER_CHAINCODE_WATCH: 'on', LEDGER_CHAINCODE_CHECK_DETERMINISM: 'off' }, false],
    [{ LEDGER_CHAINCODE_WATCH: 'off', LEDGER_CHAINCODE_CHECK_DETERMINISM: 'on' }, true],
    [{ LEDGER_CHAINCODE_TWICE: 'on' }, true],
    [{ LEDGER_CHAINCODE_WATCH: 'on', LEDGER_CHAINCODE_TWICE: 'off' }, false],
  ])('checks with %j whether chaincodes are deterministic: %j', (variables, checksDeterminism) => {
    const { ledger } = readConfig({ LEDGER_CHAINCODES: 'cars=./cars', ...variables });
    expect(ledger).toMatchObject({ chaincodes: { checksDeterminism } });
  });

  it('reports a variable by its previous name once, and prefers the present one', () => {
    const [previous, present] = ['LEDGER_CHAINCODE_TWICE', 'LEDGER_CHAINCODE_CHECK_DETERMINISM'];
    const renamed = (variables: NodeJS.ProcessEnv) => readConfig(variables).renamedVariables;
    expect(renamed({ [previous]: 'on' })).toEqual([
      `${previous} was renamed ${present}: the previous name is accepted until the next release.`,
    ]);
    expect(renamed({ [previous]: 'on', [present]: 'off' })).toEqual([
      `${previous} was renamed ${present}: ${present} is set too and is used.`,
    ]);
    expect(renamed({ [previous]: '', [present]: 'off' })).toEqual([]);
    expect(linesOf({ [previous]: 'yes' })).toEqual([`${present} = "yes": use on or off.`]);
  });

  it('refuses chaincodes on a network', () => {
    expect(linesOf({ ...PROFILE, LEDGER_CHAINCODES: 'cars=./cars' })).toEqual([expect.stringContaining('peers do')]);
  });

  it('accepts a profile, a wallet and an identity', () => {
    expect(readConfig(PROFILE).ledger).toEqual({
      driver: 'fabric',
      ...NAMES,
      ...COMMON,
      connectionProfile: 'connection-org1.json',
      walletDir: 'wallet',
      identity: 'User1',
      discoveryAsLocalhost: false,
    });
  });

  it('requires the identity to be of the MSP that is set, and of any when none is', () => {
    expect(readConfig({ ...PROFILE, LEDGER_MSP_ID: 'Org2MSP' }).ledger).toMatchObject({ requiredMspId: 'Org2MSP' });
    expect(readConfig({ ...PROFILE, LEDGER_MSP_ID: '' }).ledger).not.toHaveProperty('requiredMspId', expect.anything());
  });

  it('accepts limits, discovery in containers and mutual TLS', () => {
    const { ledger } = readConfig({
      ...PROFILE,
      FABRIC_DISCOVERY_AS_LOCALHOST: 'true',
      FABRIC_TLS_CLIENT_CERT: 'client.pem',
      FABRIC_TLS_CLIENT_KEY: 'client.key.pem',
      FABRIC_EVALUATE_TIMEOUT_MS: '1000',
      FABRIC_ENDORSE_TIMEOUT_MS: '2000',
      FABRIC_SUBMIT_TIMEOUT_MS: '3000',
      FABRIC_COMMIT_TIMEOUT_MS: '4000',
      FABRIC_MAX_CALLS: '50',
    });
    expect(ledger).toMatchObject({
      discoveryAsLocalhost: true,
      tlsClient: { certificate: 'client.pem', privateKey: 'client.key.pem' },
      limits: { evaluate: 1000, endorse: 2000, submit: 3000, commit: 4000 },
      maxCalls: 50,
    });
  });

  it.each(['FABRIC_CONNECTION_PROFILE', 'FABRIC_WALLET_DIR', 'FABRIC_IDENTITY'])('needs %s', (name) => {
    expect(linesOf({ ...PROFILE, [name]: '' })).toEqual([`${name} is not set: LEDGER_DRIVER=fabric requires it.`]);
  });
});

describe('the configuration of the driver fabric-gateway', () => {
  it('accepts several peers and one name for all', () => {
    const { ledger } = readConfig({
      ...GATEWAY,
      FABRIC_PEER_HOST_ALIAS: 'peer0.org1.example.com',
      FABRIC_TLS_ROOT_CERT: 'root.pem',
    });
    const hostAlias = 'peer0.org1.example.com';
    expect(ledger).toEqual({
      driver: 'fabric-gateway',
      ...NAMES,
      ...COMMON,
      peers: [
        { endpoint: 'peer0.org1.example.com:7051', hostAlias },
        { endpoint: '127.0.0.1:9051', hostAlias },
        { endpoint: '[::1]:11051', hostAlias },
      ],
      identity: { certificate: 'cert.pem', privateKey: 'key.pem' },
      tls: { rootCertificates: 'root.pem' },
    });
  });

  it('needs a wallet where callers sign', () => {
    const signing = { ...GATEWAY, LEDGER_AUTH: 'on', LEDGER_SIGN_AS: 'caller' };
    expect(linesOf(signing)).toEqual(['FABRIC_WALLET_DIR is not set: LEDGER_SIGN_AS=caller reads identities from it.']);
    expect(readConfig({ ...signing, FABRIC_WALLET_DIR: 'wallet' })).toMatchObject({
      ledger: { walletDir: 'wallet' },
      callers: { sign: true },
    });
  });

  it('accepts a name for each peer, or none', () => {
    expect(readConfig({ ...GATEWAY, FABRIC_PEER_HOST_ALIAS: 'a,b,c' }).ledger).toMatchObject({
      peers: [{ hostAlias: 'a' }, { hostAlias: 'b' }, { hostAlias: 'c' }],
    });
    expect(readConfig({ ...GATEWAY, FABRIC_PEER_ENDPOINTS: 'a:1' }).ledger).toMatchObject({
      peers: [{ endpoint: 'a:1' }],
    });
  });

  it.each(['FABRIC_PEER_ENDPOINTS', 'FABRIC_CERT', 'FABRIC_KEY'])('needs %s', (name) => {
    expect(linesOf({ ...GATEWAY, [name]: '' })).toEqual([
      `${name} is not set: LEDGER_DRIVER=fabric-gateway requires it.`,
    ]);
  });

  it.each([
    ['FABRIC_PEER_ENDPOINTS', 'localhost'],
    ['FABRIC_PEER_ENDPOINTS', 'grpcs://localhost:7051'],
    ['FABRIC_PEER_ENDPOINTS', 'a:1, b:2'],
    ['FABRIC_PEER_ENDPOINTS', 'a:1,'],
    ['FABRIC_PEER_ENDPOINTS', 'a:0'],
    ['FABRIC_PEER_ENDPOINTS', 'a:65536'],
    ['FABRIC_PEER_HOST_ALIAS', 'a,b'],
    ['FABRIC_PEER_HOST_ALIAS', 'a b'],
    ['FABRIC_IDENTITY', '../User1'],
    ['FABRIC_DISCOVERY_AS_LOCALHOST', 'yes'],
    ['FABRIC_EVALUATE_TIMEOUT_MS', '10s'],
    ['FABRIC_ENDORSE_TIMEOUT_MS', '0'],
    ['FABRIC_SUBMIT_TIMEOUT_MS', '99'],
    ['FABRIC_COMMIT_TIMEOUT_MS', '600001'],
    ['FABRIC_MAX_CALLS', '0'],
  ])('refuses %s=%s with one line that names it', (name, value) => {
    const lines = linesOf({ ...GATEWAY, [name]: value });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name} = .+: .+\\.$`));
  });

  it.each(['FABRIC_TLS_CLIENT_CERT', 'FABRIC_TLS_CLIENT_KEY'])('refuses %s alone', (name) => {
    expect(linesOf({ ...GATEWAY, [name]: 'file.pem' })).toHaveLength(1);
  });

  it('is frozen at every depth', () => {
    const { ledger } = readConfig({ ...GATEWAY, FABRIC_TLS_ROOT_CERT: 'r' });
    if (ledger.driver !== 'fabric-gateway') throw new Error('another driver');
    const parts = [ledger, ledger.limits, ledger.peers, ledger.peers[0], ledger.tls];
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true);
  });
});

describe('.env.example', () => {
  it('names every variable with its default', () => {
    const parsed = parseEnv(envExampleOf(Environment));
    expect(readConfig(parsed as NodeJS.ProcessEnv)).toEqual(readConfig({}));
    for (const name of variablesOf(Environment).keys())
      expect(envExampleOf(Environment)).toMatch(new RegExp(`^#?${name}=`, 'm'));
  });

  it('is committed as the code generates it', () => {
    expect(readFileSync('.env.example', 'utf8')).toContain(envExampleOf(Environment));
  });
});
