#!/usr/bin/env bash
# npm run test:image: builds the container image, starts it twice on one volume, and uses it. Needs root and Debian's buildah.
#
# Where the base image cannot be pulled, pass NEXKIT_NODE_IMAGE with one that is already here. Without it, and with mmdebstrap
# installed, a stand-in is made from Debian's packages and this machine's Node.
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILDAH_ISOLATION=chroot
port=${PORT:-3989}
work=$(mktemp -d)
container=''
server=''

# The program inside of the container, not the command that runs it. Searched for below that command, because a machine that runs
# Nexkit as a service has a program of the same name.
find_program() {
  local parents=$server
  while [ -n "$parents" ]; do
    pgrep --parent "$parents" --full 'src/cli\.ts serve$' && return
    parents=$(pgrep --delimiter , --parent "$parents")
  done
}
stop_server() {
  [ -n "$server" ] || return 0
  local program
  program=$(find_program) || true
  [ -z "$program" ] || kill -TERM "$program"
  wait "$server" || { echo "the server did not stop cleanly"; return 1; }
  server=''
}
clean_up() {
  stop_server || true
  [ -z "$container" ] || buildah rm "$container" > /dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT

# What npm needs on this machine, such as a mirror or its certificate, is mounted and never becomes part of the image.
npm_settings() {
  local authority
  authority=$(npm config get cafile 2> /dev/null)
  { cat "$(npm config get globalconfig 2> /dev/null)" "$(npm config get userconfig 2> /dev/null)" || true; } > "$work/npmrc" 2> /dev/null
  printf -- '--volume=%s:/root/.npmrc:ro\n' "$work/npmrc"
  [ ! -f "$authority" ] || printf -- '--volume=%s:%s:ro\n' "$authority" "$authority"
}

make_base() {
  local folder=$work/base
  mkdir -p "$folder/usr/local/bin" "$folder/usr/local/lib/node_modules"
  echo "making a stand-in for the Node image from Debian's packages"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$folder/debian.tar"
  cp "$(command -v node)" "$folder/usr/local/bin/node"
  cp -r "$(npm root --global)/npm" "$folder/usr/local/lib/node_modules/npm"
  for name in npm npx; do ln -s "../lib/node_modules/npm/bin/$name-cli.js" "$folder/usr/local/bin/$name"; done
  printf 'FROM scratch\nADD debian.tar /\nCOPY usr /usr\nRUN useradd --create-home node\n' > "$folder/Dockerfile"
  buildah bud --tag "$1" "$folder" > /dev/null
}

base=${NEXKIT_NODE_IMAGE:-localhost/nexkit-node:bookworm}
buildah inspect --type image "$base" > /dev/null 2>&1 || make_base "$base"

echo "building the image"
mapfile -t settings < <(npm_settings)
buildah bud --pull-never --format docker --build-arg NODE_IMAGE="$base" "${settings[@]}" --tag localhost/nexkit-test . > "$work/build.log" 2>&1 || {
  tail -n 40 "$work/build.log"
  exit 1
}
container=$(buildah from --pull-never localhost/nexkit-test)

# Without a network of its own a container would open its port to everyone who reaches this machine.
run() { buildah run --env PORT="$port" --env HOST=127.0.0.1 "$container" -- "$@"; }
start_server() {
  run nexkit serve > "$work/server.log" 2>&1 &
  server=$!
  for _ in $(seq 1 240); do
    curl --silent --fail --output /dev/null "http://127.0.0.1:$port/readyz" && return
    sleep 0.25
  done
  cat "$work/server.log"
  echo "the server was not ready within a minute"
  return 1
}
check() {
  "${@:2}" > "$work/answer" 2>&1 || { cat "$work/answer"; echo "FAILED: $1"; exit 1; }
  echo "ok: $1"
}
is_not_root() { [ "$(run id -u)" != 0 ]; }
is_healthy() { buildah inspect --type image localhost/nexkit-test | grep -q '/readyz'; }
listens_everywhere() { buildah inspect --type image localhost/nexkit-test | grep -q '"HOST=0.0.0.0"'; }
has_no_tests() { [ -z "$(run find /opt/nexkit/src -name '*.test.ts')" ]; }

check 'the program runs as a user without rights' is_not_root
check 'the image has a health check' is_healthy
check 'the server listens on every address of its container' listens_everywhere
check 'the image carries no tests' has_no_tests
start_server
key=$(grep -o 'nxk_live_[A-Za-z0-9]*' "$work/server.log" | head -n 1)
api=http://127.0.0.1:$port/api/public/v1
send() {
  curl --silent --show-error --fail "$api/messages" -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
    -d '{"to": "+6281311112222", "body": "Halo"}'
}
check 'a first start sends a message' send
check 'the console is built into the image' curl --silent --show-error --fail "http://127.0.0.1:$port/console/"
check 'the docs are built into the image' curl --silent --show-error --fail "http://127.0.0.1:$port/docs/guides/quickstart"
check 'commands work inside of the container' run nexkit doctor
check 'SIGTERM stops the server with status 0' stop_server
start_server
check 'a second start has the data of the first' curl --silent --show-error --fail "$api/me" -H "Authorization: Bearer $key"
check 'SIGTERM stops the server with status 0' stop_server
echo "the image works"
