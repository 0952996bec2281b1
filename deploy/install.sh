#!/bin/sh
# Installs the executable of a release for this machine: downloads it, compares its hash, and puts it into a folder of programs.
#
#   curl -fsSL RELEASE/install.sh | sh
#
# LOQUAT_BIN: the folder, ~/.local/bin by default. LOQUAT_FLAVOUR=apache: without the parts under the GPL.
set -eu

release="${LOQUAT_RELEASE:-@RELEASE@}"
folder="${LOQUAT_BIN:-$HOME/.local/bin}"

refuse() {
  echo "install: $1" >&2
  exit 1
}

platform() {
  case "$(uname -m)" in
    x86_64 | amd64) processor=x64 ;;
    arm64 | aarch64) processor=arm64 ;;
    *) refuse "there is no executable for processors of the kind $(uname -m)" ;;
  esac
  case "$(uname -s)-$processor" in
    Linux-*) echo "linux-$processor" ;;
    Darwin-arm64) echo "darwin-arm64" ;;
    *) refuse "there is no executable for $(uname -s) on $processor; a checkout with Node.js works there" ;;
  esac
}

download() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 -o "$2" "$1"
  else
    wget -q -O "$2" "$1"
  fi || refuse "$1 could not be downloaded"
}

hash_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  else
    shasum -a 256 "$1"
  fi | cut -d ' ' -f 1
}

main() {
  case "${LOQUAT_FLAVOUR:-full}" in
    full) flavour="" ;;
    apache) flavour="apache-" ;;
    *) refuse "LOQUAT_FLAVOUR is full or apache" ;;
  esac
  file="loquat-$flavour$(platform)"
  mkdir -p "$folder"
  work=$(mktemp -d "$folder/.loquat-XXXXXX") # beside its place: it is moved there in one step
  trap 'rm -rf "$work"' EXIT
  download "$release/SHA256SUMS" "$work/sums"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$file\$/\1/p" "$work/sums")
  [ -n "$expected" ] || refuse "the release has no $file"
  echo "Downloading $file ..."
  download "$release/$file" "$work/loquat"
  [ "$(hash_of "$work/loquat")" = "$expected" ] || refuse "the hash of $file is not the one that the release states"
  chmod 755 "$work/loquat"
  mv -f "$work/loquat" "$folder/loquat"
  echo "Installed $folder/loquat."
  case ":$PATH:" in
    *":$folder:"*) echo "Start the server with: loquat serve" ;;
    *) echo "Start the server with: $folder/loquat serve" ;;
  esac
}

main # at the end, so that a script that arrives in part does nothing
