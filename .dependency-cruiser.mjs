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
      comment: 'Data and a question in, an answer out. Only the addresses of this machine are read (own-places).',
      severity: 'error',
      from: { path: '^apps/proxy-client/src/routing/rules/', pathNot: '\\.spec\\.ts$' },
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
        pathNot: '^libs/[^/]+/src/(index|verify|testing/index|(browser|components|chart)/index)\\.ts$',
      },
    },
    {
      name: 'front-door-only-between-libs',
      comment: 'Libs import each other through src/index.ts too.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: {
        path: '^libs/([^/]+)/src/',
        pathNot: ['^libs/$1/', '^libs/[^/]+/src/(index|verify|testing/index|(browser|components|chart)/index)\\.ts$'],
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
      comment:
        'socks5-protocol, tlog, asset-contract, metrics, logging and those of the pages stand alone; ledger-gateway may use asset-contract and tlog.',
      severity: 'error',
      from: {
        path: '^libs/(socks5-protocol|tlog|asset-contract|metrics|logging|page-files|pages-kit)/',
        // A program of the workspace, not part of what a peer runs.
        pathNot: '^libs/asset-contract/src/chaincode/main\\.ts$',
      },
      to: { path: '^libs/', pathNot: '^libs/$1/' },
    },
    {
      name: 'gateway-edges',
      comment:
        'The embedded driver runs the contract; what the Fabric drivers share, and histories, know its forms; trees of blocks, and receipts, are those of tlog; no other lib.',
      severity: 'error',
      from: {
        path: '^libs/ledger-gateway/',
        pathNot: '^libs/ledger-gateway/src/(drivers/embedded|fabric-client|chain-pages|testing)/',
      },
      to: { path: '^libs/', pathNot: '^libs/(ledger-gateway|tlog)/' },
    },
    {
      name: 'ports-know-no-driver',
      comment: 'The port is what drivers implement.',
      severity: 'error',
      from: { path: '^libs/ledger-gateway/src/(ports|errors)/' },
      to: { path: '^libs/ledger-gateway/src/(drivers|fabric-blocks)/' },
    },
    {
      name: 'drivers-are-strangers',
      comment: 'No driver imports a sibling.',
      severity: 'error',
      from: { path: '^libs/ledger-gateway/src/drivers/([^/]+)/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^libs/ledger-gateway/src/drivers/', pathNot: '^libs/ledger-gateway/src/drivers/$1/' },
    },
    {
      name: 'sdk-stays-home',
      comment: 'Fabric SDKs and gRPC are named in their driver and in fabric-blocks only.',
      severity: 'error',
      from: {
        path: '^(apps|libs|src)/',
        pathNot: [
          '^libs/ledger-gateway/src/(drivers/(embedded|fabric|fabric-gateway)|chaincode-host|fabric-(blocks|client)|testing)/',
          '^src/tools/fabric/deploy\\.ts$',
        ],
      },
      to: { path: '(^|/)node_modules/(fabric-network|fabric-common|@hyperledger/fabric-(gateway|protos)|@grpc/)' },
    },
    {
      name: 'chaincode-sdk-stays-home',
      comment: 'What runs on a peer is named in the chaincode only.',
      severity: 'error',
      from: { path: '^(apps|libs|src)/', pathNot: '^libs/asset-contract/src/(chaincode|peer)/' },
      to: { path: '(^|/)node_modules/(fabric-shim|fabric-shim-api|fabric-contract-api)/' },
    },
    {
      name: 'embedded-loads-no-grpc',
      comment: 'The embedded driver, the block codec and the shared part use message files only, which load no gRPC.',
      severity: 'error',
      from: {
        path: '^libs/ledger-gateway/src/(drivers/embedded|fabric-blocks|fabric-client)/',
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
      from: { path: '^libs/asset-contract/src/contract/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/asset-contract/src/contract/', '^(node:)?(buffer|crypto)$'] },
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
        pathNot: ['^libs/metrics/', '^apps/proxy-client/src/(relay|node-internals)/'],
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
