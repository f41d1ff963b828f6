# Redis from Debian's packages, for a place that reaches no registry of images. Context: the top folder.
FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends redis-server \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/*.log \
    && find / -xdev -perm /6000 -type f -exec chmod a-s {} + \
    && install -d -o redis -g redis -m 700 /data
VOLUME /data
WORKDIR /data
USER redis
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["redis-cli", "-e", "ping"]
# A kill in the moment of a sync, or a crash of the machine, can cost up to two seconds (appendfsync always closes that: docs/operations.md).
# Protected mode is off because clients come from other containers: keep it on a network of its own.
CMD ["redis-server", "--dir", "/data", "--appendonly", "yes", "--appendfsync", "everysec", "--save", "", "--maxmemory-policy", "noeviction", "--protected-mode", "no"]
