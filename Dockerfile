# The bot in a container. In this folder:
#
#   docker build -t vram-bot .
#   docker run --rm vram-bot ask "train 7B adam lora"
#   docker run -d --read-only --cap-drop ALL --security-opt no-new-privileges \
#     -e DISCORD_TOKEN_FILE=/run/secrets/discord_token \
#     -v "$PWD/discord_token:/run/secrets/discord_token:ro" vram-bot
#
# The token comes at run time and is in no layer. The file that holds it must be
# readable by user 10001. Settings, if any: -v "$PWD/config.toml:/app/config.toml:ro".
# What is kept lies in /data, unless they say otherwise: -v vram-bot:/data.
#
# Python is named by its tag, so a build takes its latest security fixes. To fix
# the very image, look its digest up once and append it to the tag below:
#
#   docker buildx imagetools inspect python:3.13-slim
#   ARG PYTHON=python:3.13-slim@sha256:…
#
# 3.13 is the newest Python that this was tried with.
ARG PYTHON=python:3.13-slim

FROM ${PYTHON} AS build
COPY requirements.lock /build/
# The environment gets no pip of its own. Nothing is compiled but bytecode, which is
# trusted as it is, since no source in the image changes.
RUN python -m venv --without-pip /venv \
 && python -m pip --python /venv/bin/python install --no-cache-dir --no-compile \
      --disable-pip-version-check --only-binary :all: --require-hashes -r /build/requirements.lock
COPY bot /app/bot
COPY estimator /app/estimator
RUN python -m compileall -q --invalidation-mode unchecked-hash /venv/lib /app
# What is kept lies in the working folder, where nobody may write: a link leads to the volume.
RUN mkdir /data && ln -s /data/vram-bot.sqlite3 /app/vram-bot.sqlite3

FROM ${PYTHON}
LABEL org.opencontainers.image.title="vram-bot" \
      org.opencontainers.image.description="How much GPU memory a language model takes" \
      org.opencontainers.image.licenses="MIT"
ENV PATH=/venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /app
COPY LICENSE ./
COPY --from=build /venv /venv
COPY --from=build /app ./
COPY --from=build --chown=10001:10001 /data /data
VOLUME ["/data"]
USER 10001:10001
STOPSIGNAL SIGTERM
# Asks whether the bot is alive, not whether Discord is: see bot/ops/health.py.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["python", "-m", "bot", "health"]
ENTRYPOINT ["python", "-m", "bot"]
