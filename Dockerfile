# Calque's server.
#
#     docker build --tag calque .
#     docker run --rm --publish 127.0.0.1:8000:8000 calque
#
# serves the model in the box at http://127.0.0.1:8000, to this machine alone. With a model of yours, and a token that
# requests must bring:
#
#     openssl rand -hex 32 > token
#     docker run --rm --publish 8000:8000 \
#         --volume "$PWD/my-model:/model:ro" --env CALQUE_MODEL=/model --env CALQUE_TOKEN="$(cat token)" calque
#
# Other options follow the name: ... calque serve --host 0.0.0.0 --workers 2. `docker stop` lets it finish what it was asked.

FROM python:3.13-slim AS build
# No version: the compiler is not in what is shipped, and the distribution's archive keeps none but the newest.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN python -m venv /calque && /calque/bin/pip install --no-cache-dir '/source[serve]'

FROM python:3.13-slim
RUN useradd --system --no-create-home --uid 10001 calque
COPY --from=build /calque /calque
ENV PATH=/calque/bin:$PATH
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
ENTRYPOINT ["calque"]
CMD ["serve", "--host", "0.0.0.0"]
