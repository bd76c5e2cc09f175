#!/bin/sh
# Makes the pictures of reports in this folder: docs/pictures.sh 1atp.pdb.gz 6m0j.pdb.gz
#
# The two files are entries of the Protein Data Bank. It needs Chromium, pngquant, and the command as PRISM or target/debug/prism.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prism=${PRISM:-$here/../target/debug/prism}
[ $# -eq 2 ] || { echo "usage: docs/pictures.sh 1atp.pdb.gz 6m0j.pdb.gz" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/1atp.pdb.gz"
cp "$2" "$work/6m0j.pdb.gz"
(cd "$work" && "$prism" report . --backend cpu --quiet -o report.html)

# A picture of an address: its file, the width and height of the window, and the address.
picture() {
  chromium --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --hide-scrollbars \
    --force-device-scale-factor=1.5 --virtual-time-budget=60000 --user-data-dir="$work/profile" \
    --window-size="$2,$3" --screenshot="$here/$1" "file://$work/report.html$4" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
  pngquant --force --skip-if-larger --quality 70-95 --output "$here/$1" "$here/$1"
}
picture report.png 1280 860 '#1atp.pdb?site=1'
picture report-interface.png 1280 860 '#6m0j.pdb?chain=A&chain=E'
