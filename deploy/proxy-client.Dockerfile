# An image of proxy-client. It runs as a user that owns nothing; the root file system can be read-only.
#
#   npm run package
#   docker build -f deploy/proxy-client.Dockerfile -t proxy-client --build-arg VERSION=$(npm pkg get version | tr -d '"') dist/packages
#
# BASE is an image with Node 22.20 or newer as `node`.
ARG BASE=node:24-slim
FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="proxy-client" \
  org.opencontainers.image.description="An HTTP and SOCKS5 proxy that forwards through upstream proxies" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"

ADD proxy-client-*.tgz /opt/proxy-client/
ENV NODE_ENV=production
WORKDIR /tmp
USER 10001:10001
EXPOSE 8080

# Checks the proxy only; /readyz on the admin listener reports whether an upstream works.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

ENTRYPOINT ["node", "/opt/proxy-client/package/dist/lib/proxy-client.js"]
CMD ["--config", "/etc/proxy-client.yaml"]
