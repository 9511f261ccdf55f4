# Three images of one install, chosen by --target:
#   gateway    one gateway, without engines
#   control    a control plane with DATABASE_URL and CLICKHOUSE_URL, without engines
#   sallyport  everything on one machine, with the engines (the default)
# docs/containers.md tells how they are run.
ARG DEBIAN_RELEASE=trixie

FROM node:24-${DEBIAN_RELEASE}-slim AS sources
WORKDIR /opt/sallyport
COPY . .

FROM sources AS console
RUN npm ci

FROM sources AS without-engines
RUN npm ci --omit=dev --omit=optional

FROM sources AS with-engines
RUN npm ci --omit=dev

# Node comes from the install, as everywhere: the lock file says which.
FROM debian:${DEBIAN_RELEASE}-slim AS base
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 sallyport \
 && useradd --uid 10001 --gid sallyport --no-create-home --home-dir /var/lib/sallyport --shell /usr/sbin/nologin sallyport \
 && install --directory --owner=sallyport --group=sallyport --mode=0700 /var/lib/sallyport
LABEL org.opencontainers.image.title="Sallyport" \
      org.opencontainers.image.description="A self-hosted gate through which an organization exposes its web sites to external security researchers." \
      org.opencontainers.image.licenses="Apache-2.0"
ENV PATH=/opt/sallyport/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    SALLYPORT_DATA_DIR=/var/lib/sallyport \
    NODE_COMPILE_CACHE=/var/lib/sallyport/compile-cache
# By its number, so that a cluster that demands an ordinary user can see that it is one.
USER 10001:10001
WORKDIR /var/lib/sallyport
VOLUME /var/lib/sallyport
STOPSIGNAL SIGTERM
# An init hands signals on and reaps children whose parent is gone.
ENTRYPOINT ["tini", "--", "sallyport"]

FROM base AS light
COPY --from=without-engines /opt/sallyport /opt/sallyport
COPY --from=console /opt/sallyport/packages/console/dist /opt/sallyport/packages/console/dist

FROM light AS gateway
ENV SALLYPORT_GATEWAY_HOST=0.0.0.0 \
    NODE_OPTIONS=--max-semi-space-size=8 \
    MALLOC_ARENA_MAX=1
EXPOSE 7080 7443
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s CMD ["sallyport", "health", "gateway"]
CMD ["gateway"]

FROM light AS control
ENV SALLYPORT_CONTROL_HOST=0.0.0.0 \
    NODE_OPTIONS=--max-semi-space-size=16
EXPOSE 7070
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["sallyport", "health", "control"]
CMD ["control"]

FROM base AS sallyport
COPY --from=with-engines /opt/sallyport /opt/sallyport
COPY --from=console /opt/sallyport/packages/console/dist /opt/sallyport/packages/console/dist
ENV SALLYPORT_CONTROL_HOST=0.0.0.0 \
    SALLYPORT_GATEWAY_HOST=0.0.0.0
EXPOSE 7070 7080 7443
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["sallyport", "health"]
CMD ["start"]
