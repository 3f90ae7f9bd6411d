# An image of ledger-api: as a user that owns the ledger's directory and nothing else, on a root that can be read-only.
#
#   npm run package
#   docker build -f deploy/ledger-api.Dockerfile -t ledger-api dist/packages
#
# BASE is anything that has Node 24.9 or newer as `node`, and a shell. Fabric's packages are not in it: see docs/package.md.
ARG BASE=docker.io/library/node:24-slim
FROM ${BASE}

ADD ledger-api-*.tgz /opt/ledger-api/
RUN mkdir -p /var/lib/ledger-api && chown 10001:10001 /var/lib/ledger-api \
  && ln -s /opt/ledger-api/package/dist/lib/ledger-tool.js /usr/local/bin/ledger-tool
ENV NODE_ENV=production LEDGER_DATA_DIR=/var/lib/ledger-api LEDGER_API_HOST=0.0.0.0
WORKDIR /var/lib/ledger-api
VOLUME /var/lib/ledger-api
USER 10001:10001
EXPOSE 3000 3443

HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:3000/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["node", "/opt/ledger-api/package/dist/lib/ledger-api.js"]
