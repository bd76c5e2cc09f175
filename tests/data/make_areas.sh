#!/bin/sh
# Writes areas/*: what FreeSASA 2.1.2 (Debian 12's package `freesasa`) writes for ubiquitin.
set -eu
cd "$(dirname "$0")"
gunzip -c 1ubq.pdb.gz > /tmp/1ubq.pdb
freesasa --format=rsa /tmp/1ubq.pdb > areas/slices.rsa
freesasa --format=rsa --shrake-rupley -n 100 --radii=naccess /tmp/1ubq.pdb > areas/naccess.rsa
freesasa --format=pdb /tmp/1ubq.pdb | gzip -9n > areas/slices.pdb.gz
sed -i 's|/tmp/||' areas/*.rsa
