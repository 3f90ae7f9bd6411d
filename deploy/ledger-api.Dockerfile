# An image of ledger-api. It runs as a user that owns only the directory of the ledger; the root file system can be read-only.
#
#   npm run package
#   docker build -f deploy/ledger-api.Dockerfile -t ledger-api --build-arg VERSION=$(npm pkg get version | tr -d '"') dist/packages
#
# BASE is an image with Node 22.20 or newer as `node`, and a shell. The packages of Fabric are not included: see docs/packages.md.
ARG BASE=node:24-slim
FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="ledger-api" \
  org.opencontainers.image.description="A REST API over a blockchain ledger" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"

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
