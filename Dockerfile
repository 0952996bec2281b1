# The image of Loquat. VARIANT chooses what is in it beside the executable:
#
#   minimal   nothing but the C library and PocketSphinx: no shell, no package manager (the default)
#   debian    Debian, with a shell
#   cuda      CUDA and cuDNN for an NVIDIA GPU
#
#   docker build -t loquat .
#   docker build -t loquat:cuda --build-arg VARIANT=cuda .
#
# PARTS=dist takes dist/image, which "npm run build && npm run build:image" made outside, instead of building everything:
# with it the minimal image needs no other image.
ARG VARIANT=minimal
ARG PARTS=build
ARG DEBIAN=debian:bookworm-slim
ARG CUDA=nvidia/cuda:12.9.1-cudnn-runtime-ubuntu24.04

FROM node:22-bookworm-slim AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libpocketsphinx3 pocketsphinx-en-us \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
ENV LOQUAT_NO_SYSTEM_PACKAGES=1
RUN npm run build -- --flavour full && npm run build:image

FROM scratch AS dist
COPY dist/image /src/dist/image

FROM ${PARTS} AS parts

FROM build AS providers
RUN ./loquat gpu install \
 && mkdir /providers \
 && cp node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime_providers_* /providers

FROM scratch AS minimal
COPY --from=parts /src/dist/image/root /

FROM ${DEBIAN} AS debian
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libpocketsphinx3 pocketsphinx-en-us \
 && rm -rf /var/lib/apt/lists/*
COPY --from=parts /src/dist/image/root/usr/local/bin/loquat /usr/local/bin/loquat

# Its libraries are unpacked in the image, because the CUDA provider must lie beside them.
FROM ${CUDA} AS cuda
ENV LOQUAT_CACHE=/opt/loquat LOQUAT_DEVICE=cuda
COPY --from=parts /src/dist/image/root/usr/local/bin/loquat /usr/local/bin/loquat
RUN --mount=type=bind,from=providers,source=/providers,target=/providers \
    loquat unpack && loquat gpu install --from /providers

FROM ${VARIANT}
COPY --from=parts --chown=10001:10001 /src/dist/image/volume /var/lib
ENV HOST=0.0.0.0 \
    PORT=8080 \
    HOME=/var/lib/loquat \
    LOQUAT_DATA=/var/lib/loquat/data \
    LOQUAT_WEIGHTS=/var/lib/loquat/weights
USER 10001:10001
WORKDIR /var/lib/loquat
VOLUME /var/lib/loquat
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s CMD ["/usr/local/bin/loquat", "health"]
ENTRYPOINT ["/usr/local/bin/loquat"]
CMD ["serve"]
