# Nexkit in a container: one image for every role. `docker compose up` builds and starts it (compose.yaml).

ARG NODE_IMAGE=docker.io/library/node:20-bookworm-slim

# The console and the docs are built here, with the tools that only the build needs.
FROM ${NODE_IMAGE} AS build
WORKDIR /opt/nexkit
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run prepack

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /opt/nexkit
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

# Without package-lock.json the server takes the builds that are there, as it does in an npm package.
FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Nexkit" \
      org.opencontainers.image.description="WhatsApp chats, orders and Indonesian payments behind one key-authenticated API" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /opt/nexkit
COPY --from=dependencies /opt/nexkit/node_modules node_modules
COPY --from=build /opt/nexkit/build build
COPY package.json openapi.json asyncapi.json CHANGELOG.md LICENSE ./
COPY bin bin
COPY migrations migrations
COPY docs docs
COPY src src
RUN ln -s /opt/nexkit/bin/nexkit.mjs /usr/local/bin/nexkit && mkdir /data && chown node:node /data
ENV HOST=0.0.0.0 NEXKIT_DATA_DIR=/data
USER node
VOLUME /data
EXPOSE 3900
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3900) + '/readyz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["nexkit"]
CMD ["serve"]
