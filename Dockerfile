# Builds the image of Toolcrib: docker build -t toolcrib .
# To build on exactly one base image, put its digest behind the tag in every FROM below:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
#   FROM node:24-bookworm-slim@sha256:… AS …

# dist/ from the TypeScript source, with the development dependencies.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY bin bin
COPY src src
COPY tsconfig.json tsconfig.build.json ./
RUN npm run build

# The production dependencies without the Node binaries among them, of better-sqlite3 only this platform's binary and no C source.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && cd node_modules/better-sqlite3 \
  && rm -r binding.gyp deps src \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
  && node -e "new (require('better-sqlite3'))(':memory:').exec('select 1')"

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Toolcrib" \
  org.opencontainers.image.description="A self-hosted catalogue of MCP tools with usage statistics, behind one REST API" \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.base.name="docker.io/library/node:24-bookworm-slim"
WORKDIR /app
COPY LICENSE package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY bin bin
COPY demo demo
COPY migrations migrations
COPY --from=build /app/dist dist
# The program belongs to root, so that the server cannot change it; the store to the user.
RUN chmod 755 bin/toolcrib.cjs && ln -s /app/bin/toolcrib.cjs /usr/local/bin/toolcrib \
  && mkdir /data && chown node:node /data
ENV NODE_ENV=production \
  TOOLCRIB_HOST=0.0.0.0 \
  TOOLCRIB_PORT=9200 \
  TOOLCRIB_DATABASE_URL=file:/data/toolcrib.db
USER node
VOLUME /data
EXPOSE 9200
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s --retries=3 CMD ["node", "/app/dist/healthcheck.js"]
# Node itself is the first process and gets the signals: no shell, no npm. Its option is that of
# `npm start`.
ENTRYPOINT ["node", "--max-semi-space-size=4", "/app/bin/toolcrib.cjs"]
CMD ["serve"]
