#!/usr/bin/env bash
# Compares the grammars of options with the programs installed here: every long option that `--help` prints and that no
# line of assets/knowledge names for the program. Reports and changes nothing; the data is written by people.
#
#   crates/shell/tests/options.sh            the programs whose harmless options are all named, and git, make, cargo
#   crates/shell/tests/options.sh tar rsync  these
set -euo pipefail
cd "$(dirname "$0")/../../../assets/knowledge"

# What the data names for a program: the words of the blocks that begin with it.
named() {
  awk -v want="$1" '
    /^[^ #]/ { here = 0; for (i = 1; i <= NF; i++) if ($i == want) here = 1; next }
    here { gsub(/[?!,|~]/, " "); print }' ./*.txt | grep -oE -- '(^| )--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ' | sort -u
}

# What it prints of itself, with its sub-commands where it has them. Nothing is run but help, with no input, for 5 s.
printed() {
  local program=$1 sub
  shift
  for sub in "" "$@"; do
    # shellcheck disable=SC2086
    timeout 5 "$program" $sub --help </dev/null 2>/dev/null || true
    if [ "$program" = git ] && [ -n "$sub" ]; then timeout 5 git "$sub" -h </dev/null 2>&1 || true; fi
  done | grep -oE -- '--[a-z][a-z0-9-]+' | sort -u
}

subs() {
  case $1 in
    cargo) echo test build check clippy doc bench fmt ;;
    git) echo add commit clean reset push fetch checkout apply ;;
    npm) echo test run install ;;
    go | docker | kubectl | uv | pip) echo run build test install ;;
  esac
}

if [ $# -eq 0 ]; then
  set -- bash make cargo git rustfmt python3 pytest pip uv npm node go ctest cmake ninja curl wget rsync tar find xargs sed awk \
    sqlite3 psql docker podman shellcheck ruff mypy black jest eslint tsc
fi
missing=0
for program in "$@"; do
  if ! command -v "$program" >/dev/null; then
    echo "$program: not installed here"
    continue
  fi
  # shellcheck disable=SC2046
  absent=$(comm -23 <(printed "$program" $(subs "$program")) <(named "$program") | grep -vxE -- '--(help|version)' || true)
  count=$(grep -c . <<<"$absent" || true)
  missing=$((missing + count))
  echo "$program: $count not named" $absent
done
echo "all: $missing not named"
