/** Returns a rule for each lib that names the libs below it. Tests may import any lib. */
function layers(below) {
  return Object.entries(below).map(([lib, libs]) => ({
    name: `${lib}-edges`,
    comment: `${lib} may use ${libs.join(', ')}.`,
    severity: 'error',
    from: { path: `^libs/${lib}/`, pathNot: ['\\.spec\\.ts$', '/testing/'] },
    to: { path: '^libs/', pathNot: `^libs/(${[lib, ...libs].join('|')})/` },
  }));
}

/** The import rules (docs/architecture.md). Each rule has a seeded violation in test/boundaries. */
export default {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'A cycle hides which module depends on the other.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'http-is-pure',
      comment: 'The grammar of messages: bytes in, calls out, no sockets and no timers.',
      severity: 'error',
      from: { path: '^apps/proxy-client/src/http/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { pathNot: ['^apps/proxy-client/src/http/', '^(node:)?(net|url)$'] },
    },
    {
      name: 'rules-are-pure',
      comment:
        'Data and a question in, an answer out. Only addresses and names of this machine are read (own-addresses, machine-names).',
      severity: 'error',
      from: { path: '^apps/proxy-client/src/routing/rules/', pathNot: '(\\.spec|/machine-names)\\.ts$' },
      to: {
        pathNot: [
          '^apps/proxy-client/src/(routing/rules|http)/',
          '^libs/socks5-protocol/src/index\\.ts$',
          '^(node:)?(net|os|url)$',
          '(^|/)node_modules/ipaddr\\.js/',
        ],
      },
    },
    {
      name: 'no-orphans',
      comment: 'A file without an importer is dead, unless it is an entry point.',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: ['\\.d\\.ts$', '(^|/)main\\.ts$', '^src/', '^test/', '\\.spec\\.ts$', '\\.mjs$'],
      },
      to: {},
    },
    {
      name: 'no-app-to-app',
      comment: 'The apps share through libs only.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'no-tool-to-app',
      comment: 'Tools share with the apps through libs. A dry run validates as the API does, by its code.',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^apps/', pathNot: '^apps/ledger-api/src/assets/asset-upload\\.ts$' },
    },
    {
      name: 'no-lib-to-app',
      comment: 'Libs do not depend on apps.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^(apps|src)/' },
    },
    {
      name: 'nobody-imports-src',
      comment: 'src is the workspace program: it starts the others.',
      severity: 'error',
      from: { path: '^(apps|libs)/' },
      to: { path: '^src/' },
    },
    {
      name: 'front-door-only',
      comment: 'A lib is imported through its src/index.ts.',
      severity: 'error',
      from: { path: '^(apps|src|libs)/', pathNot: '^libs/[^/]+/' },
      to: {
        path: '^libs/[^/]+/src/',
        pathNot:
          '^libs/[^/]+/src/(index|contract-error|record-calls|sealed|verify|(browser|certificates|chart|components|driver|encode|messages|peer|testing|verify)/index)\\.ts$',
      },
    },
    {
      name: 'front-door-only-between-libs',
      comment: 'Libs import each other through src/index.ts too.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: {
        path: '^libs/([^/]+)/src/',
        pathNot: [
          '^libs/$1/',
          '^libs/[^/]+/src/(index|contract-error|record-calls|sealed|verify|(browser|certificates|chart|components|driver|encode|messages|peer|testing|verify)/index)\\.ts$',
        ],
      },
    },
    {
      name: 'no-testing-in-production',
      comment: 'testing/ holds scripted peers and suites for tests only.',
      severity: 'error',
      from: { path: '^(apps|libs|src)/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { path: '/testing/' },
    },
    {
      name: 'lib-edges',
      comment: 'These libs stand alone.',
      severity: 'error',
      from: {
        path: '^libs/(bubblewrap|socks5-protocol|tlog|contract-kit|metrics|logging|page-files|pages-kit|files|json|bulk-data|environment|spelling|tls-handshake)/',
      },
      to: { path: '^libs/', pathNot: '^libs/$1/' },
    },
    ...layers({
      'fabric-codec': ['tlog'],
      receipts: ['fabric-codec', 'json', 'records-contract', 'tlog'],
      'ledger-gateway': ['fabric-codec', 'files'],
      threads: ['ledger-gateway'],
      'asset-contract': ['contract-kit'],
      'records-contract': ['contract-kit'],
      'record-documents': ['contract-kit', 'fabric-codec', 'ledger-gateway', 'records-contract'],
      'chain-pages': ['asset-contract', 'contract-kit', 'fabric-codec', 'ledger-gateway', 'records-contract'],
      'chain-index': [
        'asset-contract',
        'contract-kit',
        'chain-pages',
        'fabric-codec',
        'files',
        'ledger-gateway',
        'records-contract',
        'threads',
        'tlog',
      ],
      mango: ['json'],
      'chaincode-host': ['bubblewrap', 'fabric-codec', 'files', 'json', 'ledger-gateway', 'mango'],
      'ledger-config': ['chaincode-host', 'environment', 'files', 'spelling'],
      'ledger-callers': ['files', 'json', 'ledger-config', 'ledger-gateway'],
      'signed-tree': [
        'chain-index',
        'chain-pages',
        'fabric-codec',
        'files',
        'ledger-config',
        'ledger-gateway',
        'receipts',
        'tlog',
      ],
      'embedded-ledger': [
        ...[
          'asset-contract',
          'chain-pages',
          'chaincode-host',
          'fabric-codec',
          'files',
          'json',
          'ledger-gateway',
          'receipts',
        ],
        ...['contract-kit', 'record-documents', 'records-contract', 'threads', 'tlog'],
      ],
      'ledger-library': [
        ...['contract-kit', 'embedded-ledger', 'fabric-codec', 'ledger-gateway', 'record-documents'],
        ...['records-contract', 'signed-tree', 'threads', 'tlog'],
      ],
      'fabric-ledger': [
        'asset-contract',
        'contract-kit',
        'chain-pages',
        'fabric-codec',
        'files',
        'ledger-gateway',
        'receipts',
        'threads',
        'tls-handshake',
      ],
    }),
    {
      name: 'codec-has-no-io',
      comment:
        "Fabric's blocks as bytes, receipts, and queries: of Node only its buffers, node:crypto, createRequire and the readers of IP addresses.",
      severity: 'error',
      from: { path: '^libs/(fabric-codec|receipts|mango)/src/', pathNot: ['\\.spec\\.ts$', '/testing/'] },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(buffer|crypto|module|net)$' },
    },
    {
      name: 'transports-are-strangers',
      comment: 'A transport of Fabric does not import the other one.',
      severity: 'error',
      from: { path: '^libs/fabric-ledger/src/(transport-[a-z]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/fabric-ledger/src/(transport-[a-z]+)/', pathNot: '^libs/fabric-ledger/src/$1/' },
    },
    {
      name: 'sdk-stays-home',
      comment: 'Fabric SDKs and gRPC are named in their driver and in the chaincode host only.',
      severity: 'error',
      from: {
        path: '^(apps|libs|src)/',
        pathNot: [
          '\\.spec\\.ts$',
          '/testing/',
          '^libs/(fabric-ledger|chaincode-host)/',
          '^src/fabric-network/deploy\\.ts$',
        ],
      },
      to: { path: '(^|/)node_modules/(fabric-network|fabric-common|@hyperledger/fabric-(gateway|protos)|@grpc/)' },
    },
    {
      name: 'chaincode-sdk-stays-home',
      comment: 'What runs on a peer is named in the chaincode only.',
      severity: 'error',
      from: { path: '^(apps|libs|src)/', pathNot: ['^libs/[^/]+/src/peer/', '^src/chaincode/'] },
      to: { path: '(^|/)node_modules/(fabric-shim|fabric-shim-api|fabric-contract-api)/' },
    },
    {
      name: 'embedded-loads-no-grpc',
      comment: 'Only the transports of Fabric and the chaincode host load gRPC.',
      severity: 'error',
      from: {
        path: '^libs/(embedded-ledger|fabric-codec|receipts|ledger-gateway|chain-pages|fabric-ledger/src/driver)/',
        pathNot: '\\.spec\\.ts$',
      },
      to: { path: ['node_modules/@grpc/', '_grpc_pb\\.', 'node_modules/@hyperledger/fabric-protos/lib/index\\.'] },
    },
    {
      name: 'codec-is-pure',
      comment: 'Bytes in, bytes out: a codec imports itself and readers of IP addresses only.',
      severity: 'error',
      from: { path: '^libs/socks5-protocol/src/codec/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/socks5-protocol/src/codec/', '^(node:)?net$', '(^|/)node_modules/ipaddr\\.js/'] },
    },
    {
      name: 'handshake-is-pure',
      comment: 'The handshake is sans-IO: no node:*, no timers, no sockets.',
      severity: 'error',
      from: { path: '^libs/socks5-protocol/src/handshake/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^libs/socks5-protocol/src/(codec|handshake)/' },
    },
    {
      name: 'contract-is-pure',
      comment: 'One deterministic function per transaction, on bytes and digests only; the caller provides the state.',
      severity: 'error',
      from: { path: '^libs/(asset|records)-contract/src/contract/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot: [
          '^libs/$1-contract/src/contract/',
          '^libs/contract-kit/src/(index|contract-error)\\.ts$',
          '^(node:)?(buffer|crypto|module)$',
          '(^|/)node_modules/(ajv|ajv-formats|re2js)/',
        ],
      },
    },
    {
      name: 'libs-know-no-nest',
      comment: 'Frameworks stay in the apps; page-files configures a plugin of Fastify.',
      severity: 'error',
      from: { path: '^libs/', pathNot: '^libs/page-files/' },
      to: { path: 'node_modules/(@nestjs|fastify)/' },
    },
    {
      name: 'relay-is-bare',
      comment: 'The data path uses sockets and counters, nothing else.',
      severity: 'error',
      from: { path: '^apps/proxy-client/src/relay/relay\\.ts$' },
      to: {
        pathNot: ['^apps/proxy-client/src/(relay|node-internals|stats)/'],
        dependencyTypesNot: ['core'],
      },
    },
  ],
  options: {
    // The files of a bundle are not modules.
    doNotFollow: { path: ['node_modules', '^dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
    },
  },
};
