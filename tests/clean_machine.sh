#!/bin/sh
# The trial on a clean machine: a minimal Debian 12 made by debootstrap, a clone of this repository's HEAD, and nothing
# else. Checks that ./dev COMMAND (demo unless named) works
#   as root       with no other step, and
#   as a user     with exit 2 and one line the first time, and after root has run that line.
# Run as root: tests/clean_machine.sh [COMMAND [ARGS]]. Needs debootstrap and a network; takes about 5 minutes the first
# time. CLEAN_DIR (default /tmp/parkbench-clean) keeps the minimal Debian; CLEAN_REPOSITORY names another repository;
# ONLY=root or ONLY=user leaves the other out.
set -eu
repository=${CLEAN_REPOSITORY:-$(cd "$(dirname "$0")/.." && pwd)}
dir=${CLEAN_DIR:-/tmp/parkbench-clean}
[ $# -gt 0 ] || set -- demo

if [ "$(id -u)" != 0 ]; then
  echo "clean_machine: only root can make a Debian root" >&2
  exit 2
fi
command -v debootstrap >/dev/null || {
  echo "clean_machine: debootstrap is missing. Run: apt-get install debootstrap" >&2
  exit 2
}
# In namespaces of its own: mounts and processes are gone when the trial is.
if [ -z "${CLEAN_INSIDE:-}" ]; then
  export CLEAN_INSIDE=1
  exec unshare --mount --pid --fork --kill-child "$0" "$@"
fi

base=$dir/base
if [ ! -f "$base.done" ]; then
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase bookworm "$base" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$dir/debootstrap.log"
  : >"$base.done"
fi

# Makes $dir/$1 a copy of the minimal Debian with this machine's way to the network and a clone in /home/tester.
fresh_root() {
  root=$dir/$1
  if mountpoint -q "$root/proc"; then umount -R "$root/proc" "$root/dev" "$root/sys"; fi
  rm -rf --one-file-system "$root"
  cp -a "$base" "$root"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  [ ! -f /etc/pip.conf ] || cp -L /etc/pip.conf "$root/etc/"
  grep -ls Proxy /etc/apt/apt.conf.d/* 2>/dev/null | xargs -r cp -t "$root/etc/apt/apt.conf.d/"
  # Not in /etc/ssl/certs: the package ca-certificates, which comes with python3-venv, writes that anew.
  cp -L "${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}" "$root/etc/machine-certificates.crt"
  if [ -d "${PIP_FIND_LINKS:-}" ]; then
    mkdir -p "$root$PIP_FIND_LINKS"
    mount --bind "$PIP_FIND_LINKS" "$root$PIP_FIND_LINKS"
  fi
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  chroot "$root" useradd --create-home --shell /bin/sh tester
  git clone --quiet --no-hardlinks "$repository" "$root/home/tester/parkbench"
  chroot "$root" chown -R tester: /home/tester
}

# Runs a command in $root as user $1, with the caller's settings for pip and certificates and no others.
inside() {
  user=$1
  home=/home/tester
  [ "$user" = tester:tester ] || home=/root
  shift
  settings=$(env | grep -E '^(PIP_|https?_proxy=|HTTPS?_PROXY=|no_proxy=)' | grep -v PIP_CERT || true)
  # shellcheck disable=SC2086 # one setting a word
  env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=$home $settings \
    PIP_CERT=/etc/machine-certificates.crt SSL_CERT_FILE=/etc/machine-certificates.crt \
    chroot --userspec="$user" "$root" /bin/sh -c 'cd /home/tester/parkbench && exec "$@"' sh "$@"
}

fail() {
  echo "clean_machine: FAILED: $1" >&2
  exit 1
}
seconds() { date +%s; }

as_root() {
  fresh_root as-root
  chroot "$root" chown -R root: /home/tester/parkbench
  started=$(seconds)
  inside root:root ./dev "$@" || fail "./dev $* as root ended with $?"
  echo "clean_machine: ./dev $* as root, from nothing: $(($(seconds) - started)) s"
  started=$(seconds)
  inside root:root ./dev "$@" >/dev/null 2>&1 || fail "./dev $* as root the second time ended with $?"
  echo "clean_machine: ./dev $* as root, again: $(($(seconds) - started)) s"
}

as_user() {
  fresh_root as-user
  code=0
  inside tester:tester ./dev "$@" >"$dir/line" 2>"$dir/said" || code=$?
  cat "$dir/said" "$dir/line"
  [ $code = 2 ] || fail "the first ./dev $* of an ordinary user ended with $code, not 2"
  [ "$(wc -l <"$dir/line")" = 1 ] || fail "not one line to run was printed"
  inside root:root sh -c "$(cat "$dir/line")" >"$dir/apt.log" 2>&1 || fail "root could not run the line, see $dir/apt.log"
  started=$(seconds)
  inside tester:tester ./dev "$@" || fail "./dev $* of an ordinary user ended with $? after root had run the line"
  echo "clean_machine: ./dev $* as a user, after root's line: $(($(seconds) - started)) s"
}

[ "${ONLY:-}" = user ] || as_root "$@"
[ "${ONLY:-}" = root ] || as_user "$@"
echo "clean_machine: passed"
