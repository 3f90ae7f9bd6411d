# An image of proxy-client. It runs as a user that owns nothing; the root file system can be read-only.
#
#   npm run package
#   docker build -f deploy/proxy-client.Dockerfile -t proxy-client dist/packages
#
# BASE is an image with Node 22.20 or newer as `node`.
ARG BASE=docker.io/library/node:24-slim
FROM ${BASE}

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
